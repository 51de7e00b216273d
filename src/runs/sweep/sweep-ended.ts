import type { ListedLedger } from '../../ledger/list.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { reportSweepFault } from '../restore/find-lost.ts';
import type { Run } from '../run.ts';

/**
 * For one sweep. Only a run that ended while nothing could be done is not settled, but earlier versions did
 * not write that, and anyone with write access can push any number of refs that look like ledgers.
 */
const maxLedgers = 20;

/**
 * Completes runs that have ended, such as one that was rejected just before a crash: what permits merging it
 * must still be taken back. Those that were tried least often come first, then the newest.
 */
export async function sweepEnded(
  repository: Repository,
  liveRuns: LiveRuns,
  ledgers: readonly ListedLedger[],
): Promise<void> {
  const { passedOver, tries } = liveRuns;
  const keyed = ledgers
    .filter(({ settled }) => !settled)
    .map(({ number, commit }) => ({ number, key: `${repository.id}#${number}@${commit}` }))
    .filter(({ key }) => !passedOver.has(key));
  const triesOf = (key: string) => tries.get(key) ?? 0;
  const next = keyed
    .toSorted((one, other) => triesOf(one.key) - triesOf(other.key) || other.number - one.number)
    .slice(0, maxLedgers);
  for (const { number, key } of next) {
    tries.set(key, triesOf(key) + 1);
    if (await completeEnded(liveRuns.of(repository, number), liveRuns)) passedOver.set(key, true);
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
