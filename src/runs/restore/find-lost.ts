import { labelledPulls } from '../../github/read/labelled-pulls.ts';
import { drawnFrom } from '../../github/show/block-memory.ts';
import { ourLabel } from '../../github/show/view.ts';
import { messageOf } from '../faults.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import type { Run } from '../run.ts';
import { announceLoss, lossFrom, lostRun } from './lost-run.ts';

/** Checks the open pull requests that show a run but have no open ledger, and reports lost ledgers there. */
export async function findLostLedgers(
  repository: Repository,
  liveRuns: LiveRuns,
  isLive: (number: number) => boolean,
): Promise<void> {
  for (const { number, body } of await labelledPulls(repository.octokit, repository, ourLabel)) {
    const liveRun = liveRuns.of(repository, number);
    if (isLive(number) || drawnFrom(body, { id: liveRun.name, number }) === 0) continue;
    await checkLedger(liveRun, liveRuns);
  }
}

/** Reads a ledger and reports a loss on its pull request. */
async function checkLedger(liveRun: Run, liveRuns: LiveRuns): Promise<void> {
  try {
    await liveRun.readLedger();
  } catch (fault) {
    await reportSweepFault(liveRun, fault, liveRuns);
  }
}

/** Handles an error in a sweep: a lost ledger is reported on the pull request, anything else is retried. */
export async function reportSweepFault(liveRun: Run, fault: unknown, { services }: LiveRuns): Promise<void> {
  services.log.warn(`could not sweep ${liveRun.name}: ${messageOf(fault)}`);
  const loss = lossFrom(fault);
  if (loss === undefined) return;
  try {
    const lost = await lostRun(liveRun, loss, services);
    if (lost !== undefined) await announceLoss(lost);
  } catch (again) {
    services.log.warn(`could not report the lost ledger of ${liveRun.name}: ${messageOf(again)}`);
  }
}
