import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from '../../src/api/api.ts';
import { Identity } from '../../src/doors/callers/identity.ts';
import { RepositoryLists } from '../../src/doors/callers/visible-repositories.ts';
import { RunIndex } from '../../src/doors/lists/run-index.ts';
import { createPage } from '../../src/page/page.ts';
import { keyEntrance } from '../../src/page/sign-in/key-entrance.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import type { Repository } from '../../src/repository/repository.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import { severities } from '../../src/steering/shapes/gate-rules.ts';
import type { State } from '../../src/steering/state/state.ts';
import { story } from '../../test/steering/story.ts';
import type { ForgeQuestion, ForgeReady, ForgeSettings } from '../environment/forge.ts';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { type Part, startPart } from '../measure/part.ts';

const rounds = 7;
const runCount = 10_000;
const repositoryCount = 300;
const owner = 'acme';

/**
 * An inbox of 10,000 runs by the API and on the page, compared with an empty one: for somebody about whom
 * nothing is known yet, so that GitHub is asked who it is and what they see, and when that was asked a moment
 * ago.
 */
export async function benchInbox(print: (line: string) => void): Promise<readonly Figure[]> {
  const files = { 'README.md': '# widgets\n' };
  const settings: ForgeSettings = {
    ...{ owners: [owner], moreFiles: 0, issues: 0, files },
    installed: repositoryCount,
  };
  const forge: Part<ForgeReady, ForgeQuestion, unknown> = await startPart('forge', settings);
  try {
    const states = waitingRuns(await idsFor(forge.ready));
    const timed: Record<Moment, Round[]> = { api: [], apiAgain: [], page: [], pageAgain: [] };
    // The first round only warms up.
    for (let round = 0; round <= rounds; round++) {
      const floor = await firstBytes(new RunIndex(), forge.ready);
      const ours = await firstBytes(indexOf(states), forge.ready);
      if (round === 0) continue;
      for (const moment of moments) timed[moment].push({ ours: ours[moment], floor: floor[moment] });
      const all = (times: Times) => moments.map((moment) => `${times[moment].toFixed(0)} ms`).join(', ');
      print(`an inbox of ${runCount} runs: ${all(ours)}; an empty one ${all(floor)}`);
    }
    const runs = `an inbox of ${runCount.toLocaleString('en')} runs`;
    const figure = (moment: Moment, name: string, what: string) => ({
      ...figureOf(timed[moment], { name, what, unit: 'ms' }),
      aim: '< 300 ms',
    });
    return [
      figure('api', 'inbox', `the first page of ${runs} by the API`),
      figure('apiAgain', 'inbox_again', '… once more'),
      figure('page', 'inbox_page', `${runs} on the page`),
      figure('pageAgain', 'inbox_page_again', '… once more'),
    ];
  } finally {
    await forge.end();
  }
}

/** The ids of the repositories, by their names. */
async function idsFor({ apiUrl, userToken }: ForgeReady): Promise<readonly number[]> {
  const caller = await new Identity(apiUrl).callerOf(userToken);
  const { byName } = await new RepositoryLists().of(caller);
  return Array.from({ length: repositoryCount }, (_, nth) => {
    const found = byName.get(`${owner}/number-${nth}`);
    if (found === undefined) throw new Error(`Ada does not see ${owner}/number-${nth}`);
    return found.repository.id;
  });
}

/** By the API and on the page: for somebody about whom nothing is known yet, and once more. */
const moments = ['api', 'apiAgain', 'page', 'pageAgain'] as const;
type Moment = (typeof moments)[number];
type Times = Readonly<Record<Moment, number>>;

/** What is read of the runs although they are only listed. */
const onlyListed: Pick<LiveRuns, 'watch' | 'newest'> = { watch: () => () => undefined, newest: () => [] };

const key = 'the key of the page';

/** Milliseconds until the answer begins, from doors that have not been asked anything yet, and once more. */
async function firstBytes(index: RunIndex, { apiUrl, userToken: token }: ForgeReady): Promise<Times> {
  const api = await serve((origin) => createApi({ ...doorsTo(index, apiUrl), origin, log: console }));
  const authorization = `Bearer ${token}`;
  const [ofApi, ofApiAgain] = [
    await api.ask('/api/v1/inbox', { authorization }),
    await api.ask('/api/v1/inbox', { authorization }),
  ];
  api.close();
  const page = await serve((origin) =>
    createPage({
      ...{ ...doorsTo(index, apiUrl), origin, entrance: keyEntrance({ key, token, origin }) },
      ...{ progress: new ProgressBoard(), memberships: async () => ({ teams: [] }) },
    }),
  );
  const entered = await fetch(`${page.origin}/?${new URLSearchParams({ key })}`, { redirect: 'manual' });
  const cookie = entered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const [ofPage, ofPageAgain] = [await page.ask('/', { cookie }), await page.ask('/', { cookie })];
  page.close();
  return { api: ofApi, apiAgain: ofApiAgain, page: ofPage, pageAgain: ofPageAgain };
}

function doorsTo(index: RunIndex, apiUrl: string) {
  return {
    ...{ identity: new Identity(apiUrl), index, lookedAt: () => null },
    installed: async () => undefined,
    liveRuns: onlyListed as LiveRuns,
  };
}

interface Door {
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

async function serve(doorAt: (origin: () => string) => Door) {
  let origin = '';
  const door = doorAt(() => origin);
  const server = createServer((request, response) => void door.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    origin,
    ask: async (path: string, headers: Record<string, string>) => {
      const began = performance.now();
      const response = await fetch(origin + path, { headers });
      const ms = performance.now() - began;
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
      await response.text();
      return ms;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface WaitingRun {
  readonly repository: Repository;
  readonly state: State;
}

/** Runs that wait for approval, one repository after the other, so that a page has many of them. */
function waitingRuns(ids: readonly number[]): readonly WaitingRun[] {
  const waiting = story().starts().works().state;
  return Array.from({ length: runCount }, (_, nth) => {
    const name = `number-${nth % ids.length}`;
    const remote = { url: `https://github.com/${owner}/${name}.git` };
    const repository = { id: ids[nth % ids.length], owner, name, remote };
    // More of a repository is not kept.
    return { repository: repository as Repository, state: stateOf(waiting, nth, `${owner}/${name}`) };
  });
}

function indexOf(runs: readonly WaitingRun[]): RunIndex {
  const index = new RunIndex();
  for (const { repository, state } of runs) index.note(repository, state);
  return index;
}

function stateOf(waiting: State, nth: number, name: string): State {
  const number = nth + 1;
  const run = { ...waiting.run, id: `${name}#${number}`, number };
  const severity = severities[nth % severities.length] ?? 'low';
  const gates = [{ rule: 'deletes-files', severity, evidence: 'src/a.ts' }] as const;
  const shown = waiting.shown && { ...waiting.shown, gates };
  const { standing } = waiting;
  if (!('interaction' in standing)) throw new Error('the run does not wait for people');
  const opened_at = new Date(Date.parse(waiting.updated_at) + nth * 1000).toISOString();
  return {
    ...waiting,
    run,
    shown,
    standing: { ...standing, interaction: { ...standing.interaction, opened_at } },
  };
}
