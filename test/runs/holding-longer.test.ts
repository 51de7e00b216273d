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

test('an undo without a number goes one back each time, and what others pushed only if that is named', async () => {
  await says('/steer add more');
  const second = await headOf();
  const pushed = await fixture.pushes('bob', {
    from: (await state()).run.branch,
    files: { 'bob.txt': 'mine\n' },
  });
  await fixture.sweep();
  expect((await state()).head).toBe(pushed);
  await says('/steer and more');

  await says('/undo');
  expect((await state()).iterations[3]).toMatchObject({ undo: { to: 1, done: true } });
  expect(await treeOf(await headOf())).toBe(await treeOf(pushed));
  await says('/undo');
  const replies = await fixture.appComments(number);
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
  const forced = await fixture.pushes('bob', {
    from: base,
    to: (await state()).run.branch,
    files: { 'clean.txt': 'clean\n' },
    force: true,
  });
  await fixture.sweep();
  await says('/undo 0');
  expect(await headOf()).toBe(forced);
  expect((await fixture.appComments(number)).join('\n')).toContain(
    `Not gone back to iteration 0: its commit ${first.slice(0, 7)} is no longer part of the branch`,
  );
  expect((await state()).iterations.at(-1)?.undo).toEqual({ to: 0, by: 'ada', done: false });
  expect((await state()).standing.phase).toBe('awaiting_approval');
});

test('a run without iterations left is steered again once it is extended', async () => {
  for (const text of ['one', 'two', 'three', 'four', 'five']) await says(`/steer ${text}`);
  await says('/steer six');
  expect((await state()).iteration).toBe(5);
  expect((await fixture.appComments(number)).at(-1)).toContain('`/extend` gives it more');
  await says('/extend 2');
  expect((await fixture.appComments(number)).at(-1)).toContain('may now have 7 iterations');
  await says('/steer six');
  expect(await state()).toMatchObject({
    iteration: 6,
    max_iterations: 7,
    standing: { phase: 'awaiting_approval' },
  });
});

test('an approved run that is paused is a draft again, and finished anew when it is resumed', async () => {
  await fixture.says('mia', number, '/approve');
  expect((await check())?.conclusion).toBe('success');
  await says('/pause');
  expect((await check())?.conclusion).toBe('action_required');
  const draft = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.draft;
  expect(await draft()).toBe(true);
  await says('/resume');
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect([(await check())?.conclusion, await draft()]).toEqual(['success', false]);
});
