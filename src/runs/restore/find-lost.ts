import { GitHubFault } from '../../github/octokit/fault.ts';
import { lastReopening, type OpenPull } from '../../github/read/pulls.ts';
import { LedgerOfApp } from '../../ledger/errors.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Repository } from '../../repository/repository.ts';
import { isNotification } from '../../steering/decide.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import { announceLoss, isWaitingForKey, lossFrom, lostRun } from '../run/lost-run.ts';
import { isBeforeClosing } from '../run/missed-moves.ts';
import type { Run } from '../run/run.ts';

/**
 * Looks at pull requests that have no open ledger, and reports the lost ledgers of those on which we have
 * drawn a run, whatever their bodies say. One that has never been a run is looked at again when it changes.
 */
export async function findLostLedgers(
  repository: Repository,
  liveRuns: LiveRuns,
  pulls: readonly Pick<OpenPull, 'number' | 'updated_at'>[],
): Promise<void> {
  const { passedOver } = liveRuns;
  for (const { number, updated_at } of pulls) {
    const key = `${repository.id}#${number}@${updated_at}`;
    if (passedOver.has(key)) continue;
    if (await isNoRun(liveRuns.of(repository, number), liveRuns)) passedOver.set(key, true);
  }
}

/** Reads a ledger, completes what it says is left to do, and reports a loss on its pull request. */
async function isNoRun(run: Run, liveRuns: LiveRuns): Promise<boolean> {
  try {
    const snapshot = await run.readLedger();
    if (snapshot === undefined) return true;
    if (snapshot.state.owed.length > 0) run.resume(snapshot.state);
  } catch (fault) {
    await reportSweepFault(run, fault, liveRuns);
  }
  return false;
}

/**
 * Handles an error in a sweep: a lost ledger is reported on the pull request, anything else is retried.
 * Returns true if there is nothing more to do until the ledger changes: it was reported, or is not ours.
 */
export async function reportSweepFault(run: Run, fault: unknown, liveRuns: LiveRuns): Promise<boolean> {
  const { services } = liveRuns;
  if (fault instanceof LedgerOfApp) return true;
  const warn = (what: string, why: unknown) =>
    services.log.warn(`could not ${what} ${run.name}: ${messageOf(why)}`);
  const found = lossFrom(fault);
  if (found === undefined || isWaitingForKey(fault, run, services)) {
    warn('sweep', fault);
    return false;
  }
  try {
    const lost = await lostRun(run, found, services);
    if (lost === undefined) return true;
    warn('sweep', fault);
    await announceLoss(lost);
    return true;
  } catch (again) {
    // Anyone can push a ledger for a pull request that does not exist.
    if (again instanceof GitHubFault && again.status === 404) return true;
    warn('report the lost ledger of', again);
    return false;
  }
}

/**
 * Completes runs that have ended and whose pull requests GitHub lists as open: what they still owe is done,
 * which may be closing it, or somebody has reopened it and we did not hear of that.
 */
export async function sweepReopened(
  repository: Repository,
  liveRuns: LiveRuns,
  numbers: readonly number[],
): Promise<void> {
  for (const number of numbers) {
    const run = liveRuns.of(repository, number);
    await recordReopening(run).catch((fault: unknown) => reportSweepFault(run, fault, liveRuns));
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
