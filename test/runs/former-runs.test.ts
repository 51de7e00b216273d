import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { outcomesRef } from '../../src/ledger/format.ts';
import { Outcomes, outcomesDir } from '../../src/ledger/outcomes.ts';
import type { FormerRuns } from '../../src/repository/former-runs.ts';
import type { Outcome } from '../../src/steering/shapes/task.ts';
import { seals } from '../ledger/identity.ts';
import { number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** What runs came to, for the trust in later ones: written by the App, and believed only with GitHub. */

const agent = 'command: ["sh","agent.sh"]';

let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

function counted(wanted = 3): ReturnType<FormerRuns['merged']> {
  const { run, services } = fixture.run(number);
  const { formerRuns } = services;
  if (formerRuns === undefined) throw new Error('the App keeps no outcomes');
  return formerRuns.merged([agent], wanted, run.repository);
}

async function merge(): Promise<void> {
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
  await fixture.sweep();
}

const stored = async (): Promise<readonly string[]> => {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, `+${outcomesRef}:${outcomesRef}`);
  return (await fixture.gitAsAda('show', `${outcomesRef}:outcomes.jsonl`)).trim().split('\n');
};

test('a run that people approved and merged counts for its agent, once, also in a new process', async () => {
  expect(await counted()).toEqual({ count: 0 });
  await merge();
  const [line = ''] = await stored();
  expect(JSON.parse(line)).toMatchObject({
    number,
    outcome: 'merged',
    approved_by: 'people',
    agents: [agent],
  });
  expect(await counted()).toEqual({ count: 1 });
  await fixture.restart();
  await fixture.sweep();
  expect(await stored()).toHaveLength(1);
  expect(await counted()).toEqual({ count: 1 });
  const { run, services } = fixture.run(number);
  expect(await services.formerRuns?.merged(['codex'], 3, run.repository)).toEqual({ count: 0 });
  expect(await services.formerRuns?.merged([agent, 'codex'], 3, run.repository)).toEqual({ count: 0 });
});

test('a run that GitHub does not call merged counts for nobody, whatever the line says', async () => {
  const { run } = fixture.run(number);
  const { head } = run.newest ?? (await run.readLedger())?.state ?? { head: '' };
  const outcome: Outcome = {
    ...{ version: 1, repository_id: run.repository.id, number, seq: 99, event: 'x', outcome: 'merged' },
    ...{ approved_by: 'people', agents: [agent], iterations: 1, attempts: 1, score: 1, band: 'high' },
    ...{ formula: '1', cost: {}, worked_s: 1, started_at: '2026-11-21T10:00:00Z', head, base: 'main' },
    ended_at: '2026-11-21T11:00:00Z',
  };
  const { remote, id: repositoryId } = run.repository;
  const dir = outcomesDir(await fixture.run(number).services.data, 0);
  const outcomes = new Outcomes({ dir, remote, repositoryId, seals, onNotice: () => undefined });
  await outcomes.append(outcome);
  await outcomes.append({ ...outcome, number: 4711 });
  expect(await counted()).toEqual({ count: 0 });
  expect(fixture.warnings.join('\n')).toContain('#2: GitHub does not say that it was merged');
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
  expect(await counted()).toEqual({ count: 1 });
});

test('without the ref there is no history, and people can read that in the log', async () => {
  await merge();
  expect(await counted()).toEqual({ count: 1 });
  await fixture.gitAsAda('push', '--quiet', fixture.url, `:${outcomesRef}`);
  expect(await counted()).toEqual({ count: 0, why: 'it is gone' });
  expect(fixture.warnings).toContain('acme/api: former runs count for nothing: it is gone');
});
