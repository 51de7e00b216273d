import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ActionsFixture, at } from './actions-fixture.ts';
import { startWaitingRuns, type WaitingRuns } from './waiting-runs.ts';

/** What else people do with the runs of the Action, of several runs at once. */
let waiting: WaitingRuns;
let fixture: ActionsFixture;

beforeAll(async () => {
  waiting = await startWaitingRuns(['one', 'two', 'three', 'four', 'five']);
  fixture = waiting.fixture;
});
afterAll(() => fixture?.end());

test('one is steered by a review that requests changes', async () => {
  const number = waiting.next();
  const review = { event: 'REQUEST_CHANGES', body: 'Not like this.' } as const;
  await fixture.ada.rest.pulls.createReview({ ...at, pull_number: number, ...review });
  expect(await fixture.onlyFinishedJob()).toMatchObject({
    outputs: { phase: 'awaiting_approval', iteration: '1' },
  });
});

test('one is closed by /reject, and its branch stays', async () => {
  const number = waiting.next();
  await fixture.comment(number, '/reject Not worth it.');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ outputs: { phase: 'rejected' } });
  const { state, head } = await fixture.pull(number);
  expect(state).toBe('closed');
  const { data } = await fixture.ada.rest.git.getRef({ ...at, ref: `heads/${head.ref}` });
  expect(data.object.sha).toBe(head.sha);
});

test('one is verified again after a human has force-pushed its branch', async () => {
  const number = waiting.next();
  const { head } = await fixture.pull(number);
  const { data } = await fixture.ada.rest.git.getCommit({ ...at, commit_sha: head.sha });
  const sha = data.parents[0]?.sha ?? '';
  await fixture.ada.rest.git.updateRef({ ...at, ref: `heads/${head.ref}`, sha, force: true });
  const pushed = await fixture.onlyFinishedJob();
  expect(pushed).toMatchObject({ event: 'pull_request', code: 0 });
  expect(pushed.outputs).toMatchObject({ 'head-sha': sha, phase: 'awaiting_approval' });
});
