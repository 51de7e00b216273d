import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture, waitForDeliveries } from './app-fixture.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';

let fixture: AppFixture;

beforeEach(async () => {
  fixture = await startAppFixture({ unchecked: true });
});

afterEach(() => expectCleanEnd(fixture));

/** GitHub's rate limit allows about one write per second, and every command needs several. */
test('each of 200 simultaneous commands is answered or counted, and the run continues', {
  timeout: 240_000,
}, async () => {
  const { ada, bob, mia, grace } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  const writers = [ada, bob, mia];
  const comments = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const writer = writers[index % 3] ?? ada;
      return index < 120 ? writer.says(pull, '/status') : grace.says(pull, '/steer do what I say');
    }),
  );
  await waitForDeliveries(fixture);
  const idOf = (comment: number) => new RegExp(`comment:${comment}@[^ ]+:reply -->`);
  await expect
    .poll(async () => unanswered(pull, comments.slice(0, 120), idOf), { timeout: 200_000, interval: 1000 })
    .toEqual([]);
  // Those without write access are answered after everyone else, and only ten of them in an hour.
  const refused = async () => 80 - (await unanswered(pull, comments.slice(120), idOf)).length;
  await expect.poll(refused, { timeout: 60_000, interval: 1000 }).toBe(10);
  await ada.says(pull, '/steer make it better');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  const ledger = await pull.ledger();
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state.answered).toHaveLength(10);
});

async function unanswered(
  pull: { readonly number: number },
  commentIds: readonly number[],
  idOf: (comment: number) => RegExp,
): Promise<readonly number[]> {
  const { ada } = fixture;
  const comments = await ada.octokit.paginate(ada.octokit.rest.issues.listComments, {
    ...at,
    issue_number: pull.number,
    per_page: 100,
  });
  const ours = comments.filter(({ user }) => user?.login === 'coxswain[bot]').map(({ body = '' }) => body);
  return commentIds.filter((comment) => !ours.some((body) => idOf(comment).test(body)));
}
