import { afterAll, beforeAll, test } from 'vitest';
import { type AppFixture, waitForDeliveries } from './app-fixture.ts';
import { freezeLedger, removeLedger } from './frozen-ledger.ts';
import { approvedRun, drawsAgain, expectNoMergeUntil, hasNoApproval, waitForGreen } from './green.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/**
 * Bob, who has the role write, removes the ledger of a run that Mia has approved, and puts it back when she has
 * taken that back.
 */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '15s' } });
  fixture = waiting.fixture;
  requireChecks(fixture);
});

afterAll(() => fixture?.end());

test('what was said voids the approvals even if it is deleted, and the App starts again', async () => {
  const pull = await approvedRun(fixture, waiting);
  await rejectsUnheard(pull);
  await fixture.app.stop();
  await fixture.start();
  await expectNoMergeUntil(fixture, pull, () => hasNoApproval(pull));
  await pull.waitForComment(/the ledger was lost at/);
});

test('closing it voids them, too', async () => {
  const pull = await approvedRun(fixture, waiting);
  const back = await removeLedger(fixture, pull);
  await fixture.mia.closes(pull);
  await waitForDeliveries(fixture);
  await waitForGreen(pull, false);
  await fixture.bob.reopens(pull);
  await waitForDeliveries(fixture);
  await back();
  await drawsAgain(fixture, pull);
  await expectNoMergeUntil(fixture, pull, () => hasNoApproval(pull));
});

test('a ledger that could not be read in between changes nothing about that', async () => {
  const pull = await approvedRun(fixture, waiting);
  await rejectsUnheard(pull);
  const thaw = await freezeLedger(fixture, pull);
  await fixture.bob.deletes(await fixture.bob.says(pull, '/approve'));
  await waitForDeliveries(fixture);
  await thaw();
  await drawsAgain(fixture, pull);
  await expectNoMergeUntil(fixture, pull, () => hasNoApproval(pull));
});

/** Mia says it while there is no ledger, and nothing is left of it when there is one again. */
async function rejectsUnheard(pull: PullClient): Promise<void> {
  const back = await removeLedger(fixture, pull);
  const said = await fixture.mia.says(pull, '/reject it is bad after all');
  await waitForGreen(pull, false);
  await fixture.bob.deletes(said);
  await waitForDeliveries(fixture);
  await back();
}
