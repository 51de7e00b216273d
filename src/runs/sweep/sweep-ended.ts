import type { ListedLedger } from '../../ledger/list.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { reportSweepFault } from '../restore/find-lost.ts';
import type { Run } from '../run.ts';

/** The ledger of a run that has ended, as the remote lists it. */
export interface Ended extends Pick<ListedLedger, 'number' | 'commit' | 'settled'> {
  /** Its pull request is open, and so it could be merged. */
  readonly isShown: boolean;
}

/**
 * For one sweep. Only a run that ended while nothing could be done is not settled, but earlier versions did
 * not write that, and anyone with write access can push any number of refs that look like ledgers.
 */
const maxLedgers = 20;

/**
 * Completes runs that have ended, such as one that was rejected just before a crash: what permits merging it
 * must still be taken back. Those of open pull requests come first, and are looked at even if their ledgers
 * say that nothing is left to do, which is not proven; then those that were tried least often, then the
 * newest.
 */
export async function sweepEnded(
  repository: Repository,
  liveRuns: LiveRuns,
  ledgers: readonly Ended[],
): Promise<void> {
  const { passedOver, tries } = liveRuns;
  const runOf = ({ number }: Ended) => `${repository.id}#${number}`;
  const keyOf = (ended: Ended) => `${runOf(ended)}@${ended.commit}`;
  const due = ledgers.filter((each) => (each.isShown || !each.settled) && !passedOver.has(keyOf(each)));
  const triesOf = (ended: Ended) => tries.get(runOf(ended)) ?? 0;
  const next = due
    .toSorted(
      (one, other) =>
        Number(other.isShown) - Number(one.isShown) ||
        triesOf(one) - triesOf(other) ||
        other.number - one.number,
    )
    .slice(0, maxLedgers);
  for (const ended of next) {
    tries.set(runOf(ended), triesOf(ended) + 1);
    if (await completeEnded(liveRuns.of(repository, ended.number), liveRuns))
      passedOver.set(keyOf(ended), true);
  }
}

/** Returns true if there is nothing more to do until the ledger changes. */
async function completeEnded(run: Run, liveRuns: LiveRuns): Promise<boolean> {
  try {
    const snapshot = await run.readLedger();
    if (snapshot === undefined || snapshot.state.owed.length === 0) return true;
    run.resume(snapshot.state);
    return false;
  } catch (fault) {
    return reportSweepFault(run, fault, liveRuns);
  }
}
