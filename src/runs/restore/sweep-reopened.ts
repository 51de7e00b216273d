import { lastReopening } from '../../github/read/pulls.ts';
import { isNotification } from '../../steering/decide.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Repository } from '../repository/repository.ts';
import { isBeforeClosing } from '../run/outdated.ts';
import type { Run } from '../run/run.ts';
import { reportSweepFault } from './find-lost.ts';

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
