import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import { fireDue } from '../due-timer.ts';
import type { Clock } from '../github-clock.ts';
import { noteBase } from '../note-base.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { catchUp } from './catch-up.ts';
import { releaseLost, type SweepOptions } from './release-lost.ts';
import { sealAgain } from './seal-again.ts';

/** What sweeping one run needs. */
export interface Sweeping extends SweepOptions, Pick<Services, 'seals' | 'log'> {
  readonly clock: Clock;
}

/**
 * Completes what was missed of one run. What an approval rests on is checked again whatever else fails, but
 * then nothing is merged.
 */
export async function sweepRun(run: Run, sweeping: Sweeping): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const faults: unknown[] = [];
  const noteFault = (fault: unknown) => void faults.push(fault);
  await complete(run, snapshot, sweeping).catch(noteFault);
  await run.finishAgain(faults.length > 0 ? 'check' : undefined).catch(noteFault);
  if (faults.length > 0) throw faults[0];
}

/** Completes what was missed; throws if a command could not be read. */
async function complete(
  run: Run,
  snapshot: LedgerSnapshot,
  { isGone, clock, seals, log }: Sweeping,
): Promise<void> {
  const { times } = run.doubts;
  const [unread] = await catchUp(run, snapshot, log);
  if (unread === undefined) run.doubts.settle(times);
  const now = clock.now();
  await releaseLost(run, snapshot.state, { isGone, now });
  // Someone may have answered in a comment that could not be read.
  if (unread === undefined) {
    await run.readChecks();
    await noteBase(run, { now, log });
    await fireDue(run, { clock, log });
  }
  if (seals !== undefined) await sealAgain(run, snapshot, { key: seals.current, now });
  // The events above were acted on already; this also covers a run without new events.
  const newest = (await run.readLedger())?.state;
  if (newest !== undefined) run.resume(newest);
  if (unread !== undefined) throw unread;
}
