import { expect, test } from 'vitest';
import { number } from './approved-run.ts';
import { runForApproval } from './run-for-approval.ts';
import { at } from './runs-fixture.ts';

/** People hold a run, go back, and put it before people. */
const run = runForApproval();
const { state, headOf, treeOf, says, check } = run;

test('after two steers a run goes back to its first iteration, by a commit that is approved and merged', async () => {
  const first = await headOf();
  await says('/steer add more');
  await says('/steer and more');
  const third = await headOf();
  expect((await state()).iteration).toBe(2);

  await says('/undo 0');
  const undone = await state();
  const { data: commit } = await run.fixture.ada.rest.git.getCommit({ ...at, commit_sha: await headOf() });
  expect(commit.tree.sha).toBe(await treeOf(first));
  expect(commit.parents.map(({ sha }) => sha)).toEqual([third]);
  expect(commit.message).toContain('Go back to iteration 0');
  expect(commit.message).toContain(`Coxswain-Run: ${undone.run.id}\nCoxswain-Iteration: 3\n`);
  expect(commit.message).toContain('Co-authored-by: ada');
  expect(undone.standing.phase).toBe('awaiting_approval');
  expect(undone.iterations.map(({ iteration_number }) => iteration_number)).toEqual([0, 1, 2, 3]);
  expect(undone.iterations[3]).toMatchObject({ undo: { to: 0, by: 'ada', done: true }, head_before: third });
  expect([undone.iteration, undone.max_iterations]).toEqual([3, 6]);
  const { data: pull } = await run.fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(pull.body).toContain('| 3 | Back to iteration 0 | ada |');

  await run.fixture.says('mia', number, `/approve ${await headOf()}`);
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  await run.fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
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
  expect((await run.fixture.appComments(number)).at(-1)).toContain('already paused by ada');
  await run.fixture.says('mia', number, '/approve');
  expect((await run.fixture.appComments(number)).at(-1)).toContain(
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
  expect((await run.fixture.appComments(number)).join('\n')).toContain('was interrupted by ada');
  await run.fixture.says('mia', number, '/approve');
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
});
