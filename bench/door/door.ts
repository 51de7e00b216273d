import { type Figure, figureOf, median, quantile, type Round } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import type { Cpu } from './cpu.ts';
import { type Request, uninterestingDelivery } from './delivery.ts';
import type { Barrage, Hits } from './load.ts';

const rounds = 5;
const seconds = 1.2;
const connections = 32;

/** Deliveries that do not concern us: how many our door answers, and how many a server that only verifies. */
export async function benchDoor(tell: (line: string) => void): Promise<readonly Figure[]> {
  const load: Load = await startPart('load', null);
  const servers = await Promise.all(['raw', 'door', 'probot'].map((name) => startServer(name)));
  try {
    const [raw, server, probot] = servers;
    if (raw === undefined || server === undefined || probot === undefined)
      throw new Error('a server is missing');
    const delivery = uninterestingDelivery();
    const foreign = uninterestingDelivery('Danke, das „Fix“ sieht gut aus.');
    const contest = { load, raw, delivery, tell };
    const ours = await compare('our door', server, contest);
    const words = await compare('our door, words that are not ASCII', server, {
      ...contest,
      delivery: foreign,
    });
    const theirs = await compare("Probot's server", probot, contest);
    return [
      { ...figure('door', 'signed deliveries that do not concern us', ours), aim: '>= 0.6' },
      figure('door_not_ascii', 'the same with words that are not ASCII', words),
      figure('door_probot', "the same through Probot's own server", theirs),
    ];
  } finally {
    await Promise.all([load, ...servers].map((part) => part.end()));
  }
}

type Load = Part<null, Barrage, Hits>;
type Server = Part<{ url: string }, Cpu, number>;

function startServer(name: string): Promise<Server> {
  return startPart(name, null);
}

interface Contest {
  readonly load: Load;
  readonly raw: Server;
  readonly delivery: Request;
  readonly tell: (line: string) => void;
}

interface Result {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Of the server alone, in milliseconds for a thousand deliveries. */
  readonly cpuPerThousandMs: number;
}

type Pair = { readonly ours: Result; readonly floor: Result };

async function compare(name: string, server: Server, contest: Contest): Promise<readonly Pair[]> {
  const { raw, tell } = contest;
  for (const warm of [raw, server]) await hit(warm, contest);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await hit(raw, contest);
    const ours = await hit(server, contest);
    pairs.push({ ours, floor });
    tell(`${name}: ${ours.perSecond.toFixed(0)}/s, floor ${floor.perSecond.toFixed(0)}/s`);
  }
  return pairs;
}

async function hit(server: Server, { load, delivery }: Contest): Promise<Result> {
  const before = await server.ask('cpu');
  const hits = await load.ask({ url: server.ready.url, request: delivery, seconds, connections });
  const cpu = (await server.ask('cpu')) - before;
  return {
    perSecond: (hits.answered / hits.ms) * 1000,
    p99Ms: quantile(hits.latenciesMs, 0.99),
    cpuPerThousandMs: (cpu / hits.answered) * 1000,
  };
}

function figure(name: string, what: string, pairs: readonly Pair[]): Figure {
  const of = (part: keyof Result): readonly Round[] =>
    pairs.map(({ ours, floor }) => ({ ours: ours[part], floor: floor[part] }));
  const cpu = figureOf(of('cpuPerThousandMs'), { name: 'cpu', what: '', unit: '' });
  const also = {
    p99_ms: median(of('p99Ms').map(({ ours }) => ours)),
    floor_p99_ms: median(of('p99Ms').map(({ floor }) => floor)),
    cpu_us: cpu.ours,
    cpu_ratio: cpu.ratio,
  };
  return figureOf(of('perSecond'), { name, what, unit: '/s', also });
}
