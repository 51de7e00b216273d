import { labelledPulls } from '../../github/read/labelled-pulls.ts';
import { drawnFrom } from '../../github/show/block-memory.ts';
import { ourLabel } from '../../github/show/view.ts';
import { messageOf } from '../faults.ts';
import type { Lane } from '../live-run.ts';
import type { Lanes } from '../live-runs.ts';
import type { Repository } from '../services.ts';
import { lossFrom } from './loss.ts';
import { announce, lostRun } from './lost-run.ts';

/** Looks at the open pull requests that show a run, but have no live ledger, and says which have lost it. */
export async function lookForLost(
  repository: Repository,
  lanes: Lanes,
  isLive: (number: number) => boolean,
): Promise<void> {
  for (const { number, body } of await labelledPulls(repository.octokit, repository, ourLabel)) {
    const lane = lanes.of(repository, number);
    if (isLive(number) || drawnFrom(body, { id: lane.name, number }) === 0) continue;
    await lookAt(lane, lanes);
  }
}

/** Reads a ledger; where that tells of a loss, so does the pull request afterwards. */
async function lookAt(lane: Lane, lanes: Lanes): Promise<void> {
  try {
    await lane.recall();
  } catch (fault) {
    await told(lane, fault, lanes);
  }
}

/** What went wrong in a sweep: a loss is said on the pull request, anything else is tried again. */
export async function told(lane: Lane, fault: unknown, { workshop }: Lanes): Promise<void> {
  workshop.log.warn(`could not sweep ${lane.name}: ${messageOf(fault)}`);
  const loss = lossFrom(fault);
  if (loss === undefined) return;
  try {
    const lost = await lostRun(lane, loss, workshop);
    if (lost !== undefined) await announce(lost);
  } catch (again) {
    workshop.log.warn(`could not say that the ledger of ${lane.name} is lost: ${messageOf(again)}`);
  }
}
