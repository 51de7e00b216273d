import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppSettings, appVariables } from '../environment/app.ts';
import type { ForgeAnswer, ForgeQuestion, ForgeReady, ForgeSettings } from '../environment/forge.ts';
import { type Figure, median, quantile } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import { secret } from '../server/delivery.ts';
import { type Latency, type SampleTargets, takeSample } from './sample.ts';
import { type StartedRun, startRuns } from './start.ts';
import { files } from './task.ts';

type Print = (line: string) => void;
type Forge = Part<ForgeReady, ForgeQuestion, ForgeAnswer>;

/** An installation may write about once a second, so fifty runs are spread over ten. */
const owners = Array.from({ length: 10 }, (_, index) => `acme${index + 1}`);
const runsEach = 5;
const samples = 20;

/** How soon the reaction to a command appears, with one run in progress and with fifty. */
export async function benchReaction(print: Print): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const settings: ForgeSettings = { owners, issues: runsEach, moreFiles: 0, files };
  const forge: Forge = await startPart('forge', settings);
  const raw: Part<{ url: string }, never, null> = await startPart('raw', null);
  try {
    return await withApp(forge, folder, (webhookUrl) =>
      measure({ forge, raw: raw.ready.url, webhookUrl, folder }, print),
    );
  } finally {
    await Promise.all([raw.end(), forge.end()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function withApp<T>(forge: Forge, folder: string, act: (webhookUrl: string) => Promise<T>): Promise<T> {
  const environment: AppSettings = {
    ...appVariables(forge.ready, join(folder, 'data')),
    COXSWAIN_CONCURRENCY: String(owners.length * runsEach),
  };
  const started: Part<{ webhookUrl: string }, never, null> = await startPart('app', environment);
  try {
    await forge.ask({ ask: 'install', webhookUrl: started.ready.webhookUrl, secret });
    return await act(started.ready.webhookUrl);
  } finally {
    await started.end();
  }
}

interface MeasureContext {
  readonly forge: Forge;
  readonly raw: string;
  readonly webhookUrl: string;
  readonly folder: string;
}

async function measure(
  { forge, raw, webhookUrl, folder }: MeasureContext,
  print: Print,
): Promise<readonly Figure[]> {
  const targets: SampleTargets = { forge, raw, webhookUrl };
  const work = join(folder, 'data', 'work', 'attempts');
  const one = await startRuns({ forge, work, owners: owners.slice(0, 1), issues: [1] });
  const alone = await takeSamples(targets, one, { everyMs: 2500, print });
  const rest = await startRuns({ forge, work, owners, issues: [1, 2, 3, 4, 5] });
  const crowded = await takeSamples(targets, rest, { everyMs: 700, print });
  return [
    ...figures('reaction_1', 'from a command to its reaction, 1 run in progress', alone),
    ...figures('reaction_50', 'from a command to its reaction, 50 runs in progress', crowded),
  ];
}

/** Takes turns over the runs, slowly enough that GitHub's rate limits are not what is measured. */
async function takeSamples(
  targets: SampleTargets,
  runs: readonly StartedRun[],
  { everyMs, print }: { everyMs: number; print: Print },
): Promise<readonly Latency[]> {
  const latencies: Latency[] = [];
  for (let turn = 0; turn < samples; turn++) {
    const run = runs[(turn * runsEach + Math.floor(turn / owners.length)) % runs.length];
    if (run === undefined) throw new Error('there is no run to measure');
    const latency = await takeSample(targets, run, everyMs);
    latencies.push(latency);
    print(`${runs.length} in progress: ${latency.ours.toFixed(1)} ms, floor ${latency.floor.toFixed(1)} ms`);
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
  return [{ ...line('median', 0.5), also: { remembered_ms: median(of('answered')) } }, line('p95', 0.95)];
}
