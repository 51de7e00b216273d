import { afterEach, beforeEach, expect, test } from 'vitest';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import { delivered, endCleanly, type Stage, setStage } from './stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await setStage({ unchecked: true });
});

afterEach(() => endCleanly(stage));

/** GitHub's pace lets about one write a second through, and every command wants some. */
test('200 commands at once are each answered or counted, and the run continues', {
  timeout: 240_000,
}, async () => {
  const { ada, bob, mia, grace } = stage;
  const pull = await ada.starts('Make it fine');
  await pull.reaches('awaiting_approval');
  const writers = [ada, bob, mia];
  const asked = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const writer = writers[index % 3] ?? ada;
      return index < 120 ? writer.says(pull, '/status') : grace.says(pull, '/steer do what I say');
    }),
  );
  await delivered(stage);
  const idOf = (comment: number) => new RegExp(`comment:${comment}@[^ ]+:reply -->`);
  await expect
    .poll(async () => unanswered(pull, asked.slice(0, 120), idOf), { timeout: 200_000, interval: 1000 })
    .toEqual([]);
  const refused = asked.slice(120).length - (await unanswered(pull, asked.slice(120), idOf)).length;
  expect(refused).toBe(10);
  await ada.says(pull, '/steer make it better');
  await pull.reaches('awaiting_approval', { iteration: 1 });
  const ledger = await pull.ledger();
  expect(flawsOf(ledger)).toEqual([]);
  expect(ledger.state.answered).toHaveLength(10);
});

async function unanswered(
  pull: { readonly number: number },
  asked: readonly number[],
  idOf: (comment: number) => RegExp,
): Promise<readonly number[]> {
  const { ada } = stage;
  const comments = await ada.octokit.paginate(ada.octokit.rest.issues.listComments, {
    ...at,
    issue_number: pull.number,
    per_page: 100,
  });
  const ours = comments.filter(({ user }) => user?.login === 'coxswain[bot]').map(({ body = '' }) => body);
  return asked.filter((comment) => !ours.some((body) => idOf(comment).test(body)));
}
