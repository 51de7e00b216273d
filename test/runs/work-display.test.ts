import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBlock, readSealedBlock } from '../../src/github/show/block.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import type { State } from '../../src/steering/state/state.ts';
import { eventually } from '../app/eventually.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { at, type GivenRun, startGivenRun } from './given-run.ts';

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
  const board = new ProgressBoard();
  const open = (workEveryMs: number) => fixture.open(state, { seals, progress: board, workEveryMs }).run;
  return { name: `acme/api#${fixture.number}`, board, state, open };
}

test('is in the body while it works, in a block that stays sealed, and gone afterwards', async () => {
  const { name, board, state, open } = opened();
  const run = open(20);
  await run.present(state);
  const drawn = readBlock(await body());
  board.show(name, progress(1));
  await bodyWith('`npm test 1`');
  board.show(name, progress(2));
  await bodyWith('`npm test 2`');
  const sealedAs = { seals, repository_id: fixture.repository.id, number: fixture.number };
  expect(readSealedBlock(await body(), name, sealedAs)).toEqual(drawn);

  // Another process, which does not know what this one's agent does, leaves it there.
  await fixture.open(state, { seals }).run.present(state);
  expect(await body()).toContain('`npm test 2`');

  board.clear(name);
  await run.present({ ...state, seq: state.seq + 1, standing: fixture.waiting().standing });
  expect(await body()).not.toContain('at work');
  await run.close();
});

test('that the agent begins after the setup is written, though nothing else has changed', async () => {
  const { name, board, state, open } = opened({ seq: 5, attempt: 2 });
  const run = open(20);
  await run.present(state);
  board.show(name, { ...progress(0), stage: 'setup', last: [] });
  await bodyWith('**Setting up** (iteration 0, attempt 2)');
  board.show(name, { ...progress(0), last: [] });
  await bodyWith('**The agent is at work** (iteration 0, attempt 2)');
  await run.close();
});

test('what is said of work that was lost goes with the next drawing of any process', async () => {
  const { name, board, state, open } = opened({ seq: 10, attempt: 3 });
  const run = open(20);
  await run.present(state);
  board.show(name, progress(8));
  await bodyWith('`npm test 8`');
  // The process is killed: nothing ends there, and another one takes the next attempt.
  await run.close();
  const next = { ...state, seq: 12, attempt: 4, attempts_used: 2 };
  await fixture.open(next, { seals }).run.present(next);
  expect(await body()).not.toContain('at work');
});

test('what has not changed is not written again, and short work is not written at all', async () => {
  const { name, board, state, open } = opened({ seq: 20, attempt: 2 });
  const run = open(20);
  await run.present(state);
  const before = bodiesWritten();
  board.show(name, progress(3));
  await bodyWith('`npm test 3`');
  let looks = 0;
  board.watch(name, () => {
    looks += 1;
  });
  for (let n = 0; n < 5; n += 1) board.show(name, { ...progress(3), saying: `word ${n}` });
  board.show(name, progress(4));
  await bodyWith('`npm test 4`');
  expect(looks).toBe(6);
  // What somebody reads already is in the log of requests a moment later.
  await eventually('two writes', async () => (bodiesWritten() >= before + 2 ? true : undefined));
  expect(bodiesWritten()).toBe(before + 2);
  await run.close();

  const calm = open(30_000);
  await calm.present(state);
  const written = bodiesWritten();
  board.show(name, progress(5));
  board.clear(name);
  await calm.present(state);
  expect(bodiesWritten()).toBe(written);
  await calm.close();
});

test('the more runs are at work, the rarer it is written for each', async () => {
  const { name, board, state, open } = opened({ seq: 30, attempt: 4 });
  const run = open(20);
  await run.present(state);
  const others = Array.from({ length: 10_000 }, (_, n) => `acme/other#${n}`);
  for (const other of others) board.show(other, progress(1));
  board.show(name, progress(6));
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
  await run.close();
});
