import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBlock, readSealedBlock } from '../../src/github/show/block.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import { openEffects } from '../../src/runs/live/effects.ts';
import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import type { State } from '../../src/steering/state/state.ts';
import { eventually } from '../app/eventually.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { at, type GivenRun, startGivenRun } from './given-run.ts';
import { noOthers } from './no-others.ts';

/** What people see on the pull request of an agent at work. */
let fixture: GivenRun;

beforeAll(async () => {
  fixture = await startGivenRun();
});
afterAll(() => fixture.end());

const seals = openSeals(parseSealKeys(ledgerKey));

const progress = (total: number): Progress => ({
  stage: 'agent',
  since: new Date().toISOString(),
  cost: { usd: 0.5 },
  near: [],
  calls: { total, failed: 0, denied: 0 },
  last: [{ kind: 'execute', title: 'Test', command: `npm test ${total}` }],
  saying: '',
});

const hold = { iteration: 0, attempt: 1, holder: 'here', until: '2100-01-01T00:00:00Z' };

async function body(): Promise<string> {
  const { data } = await fixture.people.ada.rest.pulls.get({ ...at, pull_number: fixture.number });
  return data.body ?? '';
}

const bodyWith = (text: string) =>
  eventually(`${text} in the body`, async () => ((await body()).includes(text) ? true : undefined));

const bodiesWritten = () =>
  fixture.forge.requests.api.filter(
    ({ method, path, actor }) =>
      method === 'PATCH' && path.endsWith(`/issues/${fixture.number}`) && actor.startsWith('coxswain'),
  ).length;

function opened(changed: Partial<State> = {}) {
  const state = fixture.waiting({ standing: { phase: 'working', hold }, shown: null, ...changed });
  const { run } = fixture.open(state);
  const board = new ProgressBoard();
  const services = { ...fixture.services, seals, progress: board };
  return {
    ...{ run, board, state },
    effects: (workEveryMs: number) => openEffects(run, { ...services, workEveryMs }, noOthers),
  };
}

test('is in the body while it works, in a block that stays sealed, and gone afterwards', async () => {
  const { run, board, state, effects: open } = opened();
  const effects = open(20);
  await effects.present(state);
  const drawn = readBlock(await body());
  board.show(run.name, progress(1));
  await bodyWith('`npm test 1`');
  board.show(run.name, progress(2));
  await bodyWith('`npm test 2`');
  const sealedAs = { seals, repository_id: fixture.repository.id, number: fixture.number };
  expect(readSealedBlock(await body(), run.name, sealedAs)).toEqual(drawn);

  // Another process, which does not know what this one's agent does, leaves it there.
  await openEffects(run, { ...fixture.services, seals }, noOthers).present(state);
  expect(await body()).toContain('`npm test 2`');

  board.clear(run.name);
  await effects.present({ ...state, seq: state.seq + 1, standing: fixture.waiting().standing });
  expect(await body()).not.toContain('at work');
  effects.close();
});

test('that the agent begins after the setup is written, though nothing else has changed', async () => {
  const { run, board, state, effects: open } = opened({ seq: 5, attempt: 2 });
  const effects = open(20);
  await effects.present(state);
  board.show(run.name, { ...progress(0), stage: 'setup', last: [] });
  await bodyWith('**Setting up** (iteration 0, attempt 2)');
  board.show(run.name, { ...progress(0), last: [] });
  await bodyWith('**The agent is at work** (iteration 0, attempt 2)');
  effects.close();
});

test('what is said of work that was lost goes with the next drawing of any process', async () => {
  const { run, board, state, effects: open } = opened({ seq: 10, attempt: 3 });
  const effects = open(20);
  await effects.present(state);
  board.show(run.name, progress(8));
  await bodyWith('`npm test 8`');
  // The process is killed: nothing ends there, and another one takes the next attempt.
  effects.close();
  const next = { ...state, seq: 12, attempt: 4, attempts_used: 2 };
  await openEffects(run, { ...fixture.services, seals }, noOthers).present(next);
  expect(await body()).not.toContain('at work');
});

test('what has not changed is not written again, and short work is not written at all', async () => {
  const { run, board, state, effects: open } = opened({ seq: 20, attempt: 2 });
  const effects = open(20);
  await effects.present(state);
  const before = bodiesWritten();
  board.show(run.name, progress(3));
  await bodyWith('`npm test 3`');
  let looks = 0;
  board.watch(run.name, () => {
    looks += 1;
  });
  for (let n = 0; n < 5; n += 1) board.show(run.name, { ...progress(3), saying: `word ${n}` });
  board.show(run.name, progress(4));
  await bodyWith('`npm test 4`');
  expect(looks).toBe(6);
  // What somebody reads already is in the log of requests a moment later.
  await eventually('two writes', async () => (bodiesWritten() >= before + 2 ? true : undefined));
  expect(bodiesWritten()).toBe(before + 2);
  effects.close();

  const calm = open(30_000);
  await calm.present(state);
  const written = bodiesWritten();
  board.show(run.name, progress(5));
  board.clear(run.name);
  await calm.present(state);
  expect(bodiesWritten()).toBe(written);
  calm.close();
});

test('the more runs are at work, the rarer it is written for each', async () => {
  const { run, board, state, effects: open } = opened({ seq: 30, attempt: 4 });
  const effects = open(20);
  await effects.present(state);
  const others = Array.from({ length: 10_000 }, (_, n) => `acme/other#${n}`);
  for (const other of others) board.show(other, progress(1));
  board.show(run.name, progress(6));
  const written = bodiesWritten();
  let looks = 0;
  const { of } = board;
  board.of = (name) => {
    looks += 1;
    return of.call(board, name);
  };
  await expect.poll(() => looks).toBeGreaterThan(5);
  expect(bodiesWritten()).toBe(written);
  for (const other of others) board.clear(other);
  await bodyWith('`npm test 6`');
  effects.close();
});
