import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from '../../src/api/api.ts';
import { RunIndex } from '../../src/api/run-index.ts';
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
const repositoryCount = 40;

/**
 * The first page of an inbox of 10,000 runs, compared with an empty one, for somebody about whom nothing is
 * known yet: GitHub is asked who it is, and about each repository on the page.
 */
export async function benchInbox(print: (line: string) => void): Promise<readonly Figure[]> {
  const owners = Array.from({ length: repositoryCount }, (_, nth) => `owner-${nth}`);
  const settings: ForgeSettings = { owners, moreFiles: 0, issues: 0, files: { 'README.md': '# widgets\n' } };
  const forge: Part<ForgeReady, ForgeQuestion, unknown> = await startPart('forge', settings);
  try {
    const full = indexOf(owners);
    await firstByte(full, forge.ready);
    const timed: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const floor = await firstByte(new RunIndex(), forge.ready);
      const ours = await firstByte(full, forge.ready);
      timed.push({ ours, floor });
      print(`an inbox of ${runCount} runs: ${ours.toFixed(0)} ms, an empty one ${floor.toFixed(0)} ms`);
    }
    const what = `the first page of an inbox of ${runCount.toLocaleString('en')} runs`;
    return [{ ...figureOf(timed, { name: 'inbox', what, unit: 'ms' }), aim: '< 300 ms' }];
  } finally {
    await forge.end();
  }
}

/** Milliseconds until the answer begins, from an API that has not been asked anything yet. */
async function firstByte(index: RunIndex, { apiUrl, token }: ForgeReady): Promise<number> {
  let origin = '';
  const api = createApi({
    ...{ apiUrl, index, log: console, lookedAt: () => null, origin: () => origin },
    installed: async () => undefined,
    // No run is read, only listed.
    liveRuns: {} as LiveRuns,
  });
  const server = createServer((request, response) => void api.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const began = performance.now();
  const response = await fetch(`${origin}/api/v1/inbox`, { headers: { authorization: `Bearer ${token}` } });
  const ms = performance.now() - began;
  if (!response.ok) throw new Error(`the inbox was answered with ${response.status}`);
  await response.text();
  server.closeAllConnections();
  server.close();
  return ms;
}

/** Runs that wait for approval, one repository after the other, so that a page has many of them. */
function indexOf(owners: readonly string[]): RunIndex {
  const waiting = story().starts().works().state;
  const index = new RunIndex();
  for (let nth = 0; nth < runCount; nth++) {
    const owner = owners[nth % owners.length] ?? '';
    const repository = {
      ...{ id: nth % owners.length, owner, name: 'widgets' },
      remote: { url: `https://github.com/${owner}/widgets.git` },
    };
    // More of a repository is not kept.
    index.note(repository as Repository, stateOf(waiting, nth, owner));
  }
  return index;
}

function stateOf(waiting: State, nth: number, owner: string): State {
  const number = nth + 1;
  const run = { ...waiting.run, id: `${owner}/widgets#${number}`, number };
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
