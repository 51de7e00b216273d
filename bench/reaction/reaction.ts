import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secret } from '../door/delivery.ts';
import { type Figure, median, quantile } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import type { AppSettings } from '../stage/app.ts';
import type { ForgeAnswer, ForgeQuestion, ForgeReady, ForgeSettings } from '../stage/forge.ts';
import { files } from './agent.ts';
import { type Ear, sampleOf } from './sample.ts';
import { startRuns } from './start.ts';

type Tell = (line: string) => void;
type Forge = Part<ForgeReady, ForgeQuestion, ForgeAnswer>;

/** An installation may write about once a second, so fifty runs are spread over ten. */
const owners = Array.from({ length: 10 }, (_, index) => `acme${index + 1}`);
const runsEach = 5;
const samples = 20;

/** How soon a person sees that their command was heard, with one run at work and with fifty. */
export async function benchReaction(tell: Tell): Promise<readonly Figure[]> {
  const room = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const settings: ForgeSettings = { owners, issues: runsEach, moreFiles: 0, files };
  const forge: Forge = await startPart('forge', settings);
  const raw: Part<{ url: string }, never, null> = await startPart('raw', null);
  try {
    return await withApp(forge, room, (webhookUrl) =>
      measure({ forge, raw: raw.ready.url, webhookUrl, room }, tell),
    );
  } finally {
    await Promise.all([raw.end(), forge.end()]);
    await rm(room, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function withApp<T>(forge: Forge, room: string, act: (webhookUrl: string) => Promise<T>): Promise<T> {
  const { url, app } = forge.ready;
  const environment: AppSettings = {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: secret,
    GHE_HOST: new URL(url).host,
    GHE_PROTOCOL: 'http',
    PORT: '0',
    COXSWAIN_DATA: join(room, 'data'),
    COXSWAIN_CONCURRENCY: String(owners.length * runsEach),
    COXSWAIN_SANDBOX: 'off',
  };
  const started: Part<{ webhookUrl: string }, never, null> = await startPart('app', environment);
  try {
    await forge.ask({ ask: 'install', webhookUrl: started.ready.webhookUrl, secret });
    return await act(started.ready.webhookUrl);
  } finally {
    await started.end();
  }
}

interface Place {
  readonly forge: Forge;
  readonly raw: string;
  readonly webhookUrl: string;
  readonly room: string;
}

async function measure({ forge, raw, webhookUrl, room }: Place, tell: Tell): Promise<readonly Figure[]> {
  const ear: Ear = { forge, raw, webhookUrl };
  const work = join(room, 'data', 'work', 'attempts');
  const one = await startRuns({ forge, work, owners: owners.slice(0, 1), issues: [1] });
  const alone = await sample(ear, one, { everyMs: 2500, tell });
  const rest = await startRuns({ forge, work, owners, issues: [1, 2, 3, 4, 5] });
  const crowded = await sample(ear, rest, { everyMs: 700, tell });
  return [
    ...figures('reaction_1', 'from a command to its reaction, 1 run at work', alone),
    ...figures('reaction_50', 'from a command to its reaction, 50 runs at work', crowded),
  ];
}

interface Latency {
  readonly ours: number;
  readonly floor: number;
  readonly remembered: number;
}

/** Turn by turn over the runs, so slowly that GitHub's limits on writing are not what is measured. */
async function sample(
  ear: Ear,
  runs: readonly { readonly owner: string; readonly number: number }[],
  { everyMs, tell }: { everyMs: number; tell: Tell },
): Promise<readonly Latency[]> {
  const latencies: Latency[] = [];
  for (let turn = 0; turn < samples; turn++) {
    const run = runs[(turn * runsEach + Math.floor(turn / owners.length)) % runs.length];
    if (run === undefined) throw new Error('could not take a turn: there is no run');
    const latency = await sampleOf(ear, run, everyMs);
    latencies.push(latency);
    tell(`${runs.length} at work: ${latency.ours.toFixed(1)} ms, floor ${latency.floor.toFixed(1)} ms`);
  }
  return latencies;
}

function figures(name: string, what: string, latencies: readonly Latency[]): readonly Figure[] {
  const of = (part: keyof Latency) => latencies.map((latency) => latency[part]);
  const line = (suffix: string, share: number): Figure => {
    const [ours, floor] = [quantile(of('ours'), share), quantile(of('floor'), share)];
    return {
      name: `${name}_${suffix}`,
      what: `${what}, ${suffix}`,
      unit: 'ms',
      ours,
      floor,
      ratio: ours / floor,
    };
  };
  return [{ ...line('median', 0.5), also: { remembered_ms: median(of('remembered')) } }, line('p95', 0.95)];
}
