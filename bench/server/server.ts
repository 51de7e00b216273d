import { type Figure, figureOf, median, quantile, type Round } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';
import type { Cpu } from './cpu.ts';
import { type Request, uninterestingDelivery } from './delivery.ts';
import type { LoadRequest, LoadResult } from './load.ts';

const rounds = 5;
const seconds = 1.2;
const connections = 32;

/** Deliveries that do not concern a run: how many our server answers, and one that only verifies them. */
export async function benchServer(print: (line: string) => void): Promise<readonly Figure[]> {
  const load: Load = await startPart('load', null);
  const servers = await Promise.all(['raw', 'ours', 'probot'].map((name) => startServer(name)));
  try {
    const [raw, server, probot] = servers;
    if (raw === undefined || server === undefined || probot === undefined)
      throw new Error('a server is missing');
    const context = { load, raw, delivery: uninterestingDelivery(), print };
    const ours = await compare('our server', server, context);
    const notAscii = await compare('our server, text that is not ASCII', server, {
      ...context,
      delivery: uninterestingDelivery('Danke, das „Fix“ sieht gut aus.'),
    });
    const theirs = await compare("Probot's server", probot, context);
    return [
      { ...figure('door', 'signed deliveries that do not concern a run', ours), aim: '>= 0.6' },
      figure('door_not_ascii', 'the same with text that is not ASCII', notAscii),
      figure('door_probot', "the same through Probot's own server", theirs),
    ];
  } finally {
    await Promise.all([load, ...servers].map((part) => part.end()));
  }
}

type Load = Part<null, LoadRequest, LoadResult>;
type Server = Part<{ url: string }, Cpu, number>;

function startServer(name: string): Promise<Server> {
  return startPart(name, null);
}

interface Context {
  readonly load: Load;
  readonly raw: Server;
  readonly delivery: Request;
  readonly print: (line: string) => void;
}

interface Result {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Of the server alone, in milliseconds for a thousand deliveries. */
  readonly cpuPerThousandMs: number;
}

type Pair = { readonly ours: Result; readonly floor: Result };

async function compare(name: string, server: Server, context: Context): Promise<readonly Pair[]> {
  const { raw, print } = context;
  for (const cold of [raw, server]) await measure(cold, context);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await measure(raw, context);
    const ours = await measure(server, context);
    pairs.push({ ours, floor });
    print(`${name}: ${ours.perSecond.toFixed(0)}/s, floor ${floor.perSecond.toFixed(0)}/s`);
  }
  return pairs;
}

async function measure(server: Server, { load, delivery }: Context): Promise<Result> {
  const before = await server.ask('cpu');
  const result = await load.ask({ url: server.ready.url, request: delivery, seconds, connections });
  const cpu = (await server.ask('cpu')) - before;
  return {
    perSecond: (result.answered / result.ms) * 1000,
    p99Ms: quantile(result.latenciesMs, 0.99),
    cpuPerThousandMs: (cpu / result.answered) * 1000,
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
