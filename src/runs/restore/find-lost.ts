import { GitHubFault } from '../../github/octokit/fault.ts';
import { lastReopening, type OpenPull } from '../../github/read/pulls.ts';
import { messageOf } from '../../repository/faults.ts';
import { isBeforeClosing } from '../../steering/branch/outdated-answers.ts';
import { isOver } from '../../steering/phases/table.ts';
import { isNotification } from '../../steering/state/pending-effect.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import { announceLoss, lostFrom } from '../run/lost-run.ts';
import type { Run } from '../run/run.ts';

/**
 * Looks at pull requests that have no open ledger, and reports the lost ledgers of those on which we have
 * drawn a run, whatever their bodies say. One that has never been a run is looked at again when it changes.
 */
export async function findLostLedgers(
  runs: RepositoryRuns,
  pulls: readonly Pick<OpenPull, 'number' | 'updated_at'>[],
): Promise<void> {
  for (const { number, updated_at } of pulls) {
    const key = `${number}@${updated_at}`;
    if (runs.passedOver.has(key)) continue;
    const found = await completeOwed(runs.of(number));
    if (found === 'no ledger') runs.passedOver.set(key, true);
  }
}

/**
 * Reads a ledger, completes what it says is left to do, and reports a loss on its pull request. `done` if
 * there is nothing more to do until the ledger changes.
 */
export async function completeOwed(run: Run): Promise<'no ledger' | 'done' | 'left'> {
  try {
    const snapshot = await run.readLedger();
    if (snapshot === undefined) return 'no ledger';
    if (snapshot.state.owed.length === 0) return 'done';
    run.resume(snapshot.state);
    return 'left';
  } catch (fault) {
    return (await reportSweepFault(run, fault)) ? 'done' : 'left';
  }
}

/**
 * Handles an error in a sweep: a lost ledger is reported on the pull request, anything else is retried.
 * Returns true if there is nothing more to do until the ledger changes: it was reported, or is not ours.
 */
export async function reportSweepFault(run: Run, fault: unknown): Promise<boolean> {
  try {
    const lost = await lostFrom(fault, run, { doing: 'sweep' });
    if (lost !== undefined) await announceLoss(lost);
    return true;
  } catch (again) {
    const isReported = again !== fault;
    // Anyone can push a ledger for a pull request that does not exist.
    if (isReported && again instanceof GitHubFault && again.status === 404) return true;
    const doing = isReported ? 'report the lost ledger of' : 'sweep';
    run.services.log.warn(`could not ${doing} ${run.name}: ${messageOf(again)}`);
    return false;
  }
}

/**
 * Completes runs that have ended and whose pull requests GitHub lists as open: what they still owe is done,
 * which may be closing it, or somebody has reopened it and we did not hear of that.
 */
export async function sweepReopened(runs: RepositoryRuns, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    const run = runs.of(number);
    await recordReopening(run).catch((fault: unknown) => reportSweepFault(run, fault));
  }
}

/** Records that somebody has reopened the pull request of a run that has ended, if that was missed. */
export async function recordReopening(run: Run): Promise<void> {
  const { state, seen } = (await run.readLedger()) ?? {};
  if (state === undefined || seen === undefined || !isOver(state.standing.phase)) return;
  // A target may be away for a day, which keeps nobody from going on.
  if (!state.owed.every(isNotification)) return run.resume(state);
  const { repository, number } = run;
  const reopening = await lastReopening(repository.octokit, repository, number);
  if (reopening === undefined || isBeforeClosing(seen, reopening.at)) return;
  await run.record({ type: 'reopened', id: `reopened:${reopening.at}`, ...reopening });
}
