import { expect, test } from 'vitest';
import { number } from './approved-run.ts';
import { runForApproval } from './run-for-approval.ts';
import { at } from './runs-fixture.ts';

/** What people do to hold a run, go back and go on, more than once. */
const run = runForApproval();
const { state, headOf, treeOf, says, check } = run;

test('an undo without a number goes one back each time, and what others pushed only if that is named', async () => {
  await says('/steer add more');
  const second = await headOf();
  const pushed = await run.fixture.pushes('bob', {
    from: (await state()).run.branch,
    files: { 'bob.txt': 'mine\n' },
  });
  await run.fixture.sweep();
  expect((await state()).head).toBe(pushed);
  await says('/steer and more');

  await says('/undo');
  expect((await state()).iterations[3]).toMatchObject({ undo: { to: 1, done: true } });
  expect(await treeOf(await headOf())).toBe(await treeOf(pushed));
  await says('/undo');
  const replies = await run.fixture.appComments(number);
  expect(replies.at(-1)).toContain(`\`${pushed.slice(0, 7)}\` (bob)`);
  expect(replies.at(-1)).toContain('/undo 0');
  expect((await state()).iteration).toBe(3);
  await says('/undo 0');
  expect(await treeOf(await headOf())).not.toBe(await treeOf(second));
  expect((await state()).iterations[4]).toMatchObject({ undo: { to: 0, done: true } });
});

test('what was removed from the branch by force does not come back', async () => {
  const first = await headOf();
  await says('/steer add more');
  const { base } = (await state()).run;
  const forced = await run.fixture.pushes('bob', {
    from: base,
    to: (await state()).run.branch,
    files: { 'clean.txt': 'clean\n' },
    force: true,
  });
  await run.fixture.sweep();
  await says('/undo 0');
  expect(await headOf()).toBe(forced);
  expect((await run.fixture.appComments(number)).join('\n')).toContain(
    `Could not go back to iteration 0: its commit ${first.slice(0, 7)} is no longer part of the branch`,
  );
  expect((await state()).iterations.at(-1)?.undo).toEqual({ to: 0, by: 'ada', done: false });
  expect((await state()).standing.phase).toBe('awaiting_approval');
});

test('a run without iterations left is steered again once it is extended', async () => {
  for (const text of ['one', 'two', 'three', 'four', 'five']) await says(`/steer ${text}`);
  await says('/steer six');
  expect((await state()).iteration).toBe(5);
  expect((await run.fixture.appComments(number)).at(-1)).toContain('`/extend` gives it more');
  await says('/extend 2');
  expect((await run.fixture.appComments(number)).at(-1)).toContain('may now have 7 iterations');
  await says('/steer six');
  expect(await state()).toMatchObject({
    iteration: 6,
    max_iterations: 7,
    standing: { phase: 'awaiting_approval' },
  });
});

test('an approved run that is paused is a draft again, and finished anew when it is resumed', async () => {
  await run.fixture.says('mia', number, '/approve');
  expect((await check())?.conclusion).toBe('success');
  await says('/pause');
  expect((await check())?.conclusion).toBe('action_required');
  const draft = async () => (await run.fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.draft;
  expect(await draft()).toBe(true);
  await says('/resume');
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect([(await check())?.conclusion, await draft()]).toEqual(['success', false]);
});
