import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { State } from '../../src/steering/state.ts';
import { number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** People hold a run, go back, and put it before people, on a real pull request with real Git. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveRunForApproval();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

async function state(): Promise<State> {
  const found = await fixture.run(number).run.readLedger();
  if (found === undefined) throw new Error('there is no ledger');
  return found.state;
}

async function headOf(): Promise<string> {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.head.sha;
}

async function treeOf(sha: string): Promise<string> {
  return (await fixture.ada.rest.git.getCommit({ ...at, commit_sha: sha })).data.tree.sha;
}

const says = (text: string) => fixture.says('ada', number, text);

/** The newest check run of the App on the head. */
async function check() {
  const { data } = await fixture.ada.rest.checks.listForRef({
    ...at,
    ref: await headOf(),
    check_name: 'Coxswain',
  });
  return data.check_runs.toSorted((one, other) => other.id - one.id)[0];
}

test('after two steers a run goes back to its first iteration, by a commit that is approved and merged', async () => {
  const first = await headOf();
  await says('/steer add more');
  await says('/steer and more');
  const third = await headOf();
  expect((await state()).iteration).toBe(2);

  await says('/undo 0');
  const undone = await state();
  const { data: commit } = await fixture.ada.rest.git.getCommit({ ...at, commit_sha: await headOf() });
  expect(commit.tree.sha).toBe(await treeOf(first));
  expect(commit.parents.map(({ sha }) => sha)).toEqual([third]);
  expect(commit.message).toContain('Go back to iteration 0');
  expect(commit.message).toContain(`Coxswain-Run: ${undone.run.id}\nCoxswain-Iteration: 3\n`);
  expect(commit.message).toContain('Co-authored-by: ada');
  expect(undone.standing.phase).toBe('awaiting_approval');
  expect(undone.iterations.map(({ iteration_number }) => iteration_number)).toEqual([0, 1, 2, 3]);
  expect(undone.iterations[3]).toMatchObject({ undo: { to: 0, by: 'ada', done: true }, head_before: third });
  expect([undone.iteration, undone.max_iterations]).toEqual([3, 6]);
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(pull.body).toContain('| 3 | Back to iteration 0 | ada |');

  await fixture.says('mia', number, `/approve ${await headOf()}`);
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
});

test('a run that is paused asks nobody, keeps steers, and asks again when it is resumed', async () => {
  const asked = await check();
  await says('/pause for lunch');
  expect((await state()).standing).toMatchObject({ phase: 'paused', why: 'asked', asked: { by: 'ada' } });
  expect((await check())?.output).toMatchObject({
    title: 'Paused',
    summary: expect.stringContaining('for lunch'),
  });
  await says('/pause');
  expect((await fixture.appComments(number)).at(-1)).toContain('already paused by ada');
  await fixture.says('mia', number, '/approve');
  expect((await fixture.appComments(number)).at(-1)).toContain(
    'no commit to approve while the run is `paused`',
  );

  await says('/resume');
  expect((await state()).standing.phase).toBe('awaiting_approval');
  const again = await check();
  expect(again?.external_id).not.toBe(asked?.external_id);
  expect(again?.conclusion).toBe('action_required');

  await says('/pause');
  await says('/steer --now add more');
  expect(await state()).toMatchObject({ queue: [{ prompt: 'add more' }], iteration: 0 });
  await says('/resume');
  expect(await state()).toMatchObject({ queue: [], iteration: 1, standing: { phase: 'awaiting_approval' } });
});

test('an interrupt asks people how to go on, and they may approve all the same', async () => {
  await says('/interrupt I want to look at this first');
  expect((await state()).standing).toMatchObject({
    phase: 'awaiting_resolution',
    interrupt: { type: 'manual_interrupt', by: 'ada', failure_reason: 'I want to look at this first' },
  });
  expect((await fixture.appComments(number)).join('\n')).toContain('was interrupted by ada');
  await fixture.says('mia', number, '/approve');
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
});
