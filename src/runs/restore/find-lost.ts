import { ourLabel } from '../../github/names.ts';
import { labelledPulls } from '../../github/read/labelled-pulls.ts';
import { renderedSeq } from '../../github/show/recovered-run.ts';
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
    const run = liveRuns.of(repository, number);
    if (isLive(number) || renderedSeq(body, { id: run.name, number }) === 0) continue;
    await checkLedger(run, liveRuns);
  }
}

/** Reads a ledger and reports a loss on its pull request. */
async function checkLedger(run: Run, liveRuns: LiveRuns): Promise<void> {
  try {
    await run.readLedger();
  } catch (fault) {
    await reportSweepFault(run, fault, liveRuns);
  }
}

/** Handles an error in a sweep: a lost ledger is reported on the pull request, anything else is retried. */
export async function reportSweepFault(run: Run, fault: unknown, { services }: LiveRuns): Promise<void> {
  services.log.warn(`could not sweep ${run.name}: ${messageOf(fault)}`);
  const loss = lossFrom(fault);
  if (loss === undefined) return;
  try {
    const lost = await lostRun(run, loss, services);
    if (lost !== undefined) await announceLoss(lost);
  } catch (again) {
    services.log.warn(`could not report the lost ledger of ${run.name}: ${messageOf(again)}`);
  }
}
