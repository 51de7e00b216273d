import { afterAll, beforeAll, describe, test } from 'vitest';
import { type AppFixture, waitForDeliveries } from './app-fixture.ts';
import { freezeLedger } from './frozen-ledger.ts';
import { approvedRun, drawsAgain, expectNoMergeUntil, hasNoApproval, waitForGreen } from './green.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/**
 * Mia takes back what she has approved while the ledger cannot be written, and Bob, who has the role write,
 * removes what she said before he puts the ledger back.
 */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '15s' } });
  fixture = waiting.fixture;
  requireChecks(fixture);
});

afterAll(() => fixture?.end());

/** What Mia does, and what Bob does about it. */
const undone = {
  'a comment that is deleted': async (pull: PullClient) => {
    const said = await fixture.mia.says(pull, '/reject it is bad after all');
    return () => fixture.bob.deletes(said);
  },
  'a comment that is edited': async (pull: PullClient) => {
    const said = await fixture.mia.says(pull, '/reject it is bad after all');
    return () => fixture.bob.edits(said, 'Looks very good');
  },
  'a review that is dismissed': async (pull: PullClient) => {
    await fixture.mia.reviews(pull, { event: 'REQUEST_CHANGES', body: 'This is bad.' });
    return async () => {
      const review = await newestReview(pull);
      await fixture.bob.octokit.rest.pulls.dismissReview({ ...review, message: 'No.' });
    };
  },
  'closing, when it is reopened': async (pull: PullClient) => {
    await fixture.mia.closes(pull);
    return () => fixture.bob.reopens(pull);
  },
};

describe.each(Object.entries(undone))('%s', (_, takesBack) => {
  test('counts as soon as the ledger can be written, and nothing is green before', async () => {
    const pull = await approvedRun(fixture, waiting);
    const thaw = await freezeLedger(fixture, pull);
    const removesIt = await takesBack(pull);
    await waitForGreen(pull, false);
    await removesIt();
    await waitForDeliveries(fixture);
    await thaw();
    await drawsAgain(fixture, pull);
    await expectNoMergeUntil(fixture, pull, () => hasNoApproval(pull));
  });
});

test('a review counts even if its text was edited before the App read it', async () => {
  const pull = await approvedRun(fixture, waiting);
  await fixture.app.stop();
  await fixture.mia.reviews(pull, { event: 'REQUEST_CHANGES', body: 'This is bad.' });
  await fixture.bob.octokit.rest.pulls.updateReview({
    ...(await newestReview(pull)),
    body: 'Looks very good',
  });
  await fixture.start();
  await waitForGreen(pull, false);
  await expectNoMergeUntil(fixture, pull, () => hasNoApproval(pull));
});

async function newestReview({ number: pull_number }: PullClient) {
  const place = { ...at, pull_number };
  const { data } = await fixture.bob.octokit.rest.pulls.listReviews(place);
  return { ...place, review_id: data.at(-1)?.id ?? 0 };
}
