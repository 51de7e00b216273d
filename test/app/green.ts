import { expect } from 'vitest';
import { type AppFixture, waitForDeliveries } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import type { FixtureWithRuns } from './waiting-runs.ts';

/** Waits until our check permits merging, or does not. */
export function waitForGreen(pull: PullClient, is = true): Promise<unknown> {
  const look = async () => ((await pull.check('Coxswain')).conclusion === 'success') === is || undefined;
  return pull.waitUntil(`#${pull.number} to be green: ${is}`, look);
}

/** Bob tries again and again to merge. */
export async function expectNoMergeUntil(
  { bob }: Pick<AppFixture, 'bob'>,
  pull: PullClient,
  isOver: () => Promise<boolean>,
): Promise<void> {
  await eventually(`the end of #${pull.number}`, async () => {
    const over = await isOver();
    await bob.marksReady(pull).catch(() => undefined); // it may be closed by now
    await expect(bob.merges(pull)).rejects.toThrow(/required status check|draft|not mergeable/i);
    return over || undefined;
  });
}

/** A run that Mia has approved, and whose check permits merging. */
export async function approvedRun(fixture: AppFixture, waiting: FixtureWithRuns): Promise<PullClient> {
  const pull = waiting.next();
  await fixture.mia.says(pull, '/approve');
  await pull.waitForDraft(false);
  await waitForGreen(pull);
  await waitForDeliveries(fixture);
  return pull;
}

/** The App puts its labels and its block right, and with them draws the run again. */
export async function drawsAgain({ bob }: Pick<AppFixture, 'bob'>, pull: PullClient): Promise<void> {
  const { issues, pulls } = bob.octokit.rest;
  for (const label of ['coxswain:paused', 'coxswain:approved'])
    await issues.removeLabel({ ...at, issue_number: pull.number, name: label }).catch(() => undefined); // one is there
  const { body } = await pull.details();
  const cut = (body ?? '').replace(/<!-- coxswain:begin -->[\s\S]*<!-- coxswain:end -->/, 'mine');
  await pulls.update({ ...at, pull_number: pull.number, body: cut });
}

export async function hasNoApproval(pull: PullClient): Promise<boolean> {
  return (await pull.ledger()).state.approvals.length === 0;
}
