import { join } from 'node:path';
import { ourLabel } from '../../github/names.ts';
import { type LabelledPull, labelledPulls } from '../../github/read/labelled-pulls.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import { type ListedLedger, listLedgers } from '../../ledger/list.ts';
import { isAskingHuman, isLeased } from '../../steering/standing.ts';
import { messageOf } from '../faults.ts';
import { checkUnread } from '../finish/check-again.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { findLostLedgers, reportSweepFault } from '../restore/find-lost.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { timeOut } from '../timers.ts';
import { catchUp } from './catch-up.ts';
import { sealAgain } from './seal-again.ts';
import { sweepEnded } from './sweep-ended.ts';
import { sweepReopened } from './sweep-reopened.ts';

export interface SweepOptions {
  /** Whether the holder of a lease is known to be gone, so that the lease need not expire first. */
  isGone(holder: string): boolean;
}

/**
 * Completes what was missed in one repository: commands, expired leases, deadlines and pending effects.
 * Returns whether it has runs that have not ended.
 */
export async function sweepRepository(
  repository: Repository,
  liveRuns: LiveRuns,
  options: SweepOptions,
): Promise<boolean> {
  const { log, data, clock, seals } = liveRuns.services;
  const dir = join(data, 'ledgers', String(repository.id), 'all');
  const ledgers = await listLedgers(dir, repository.remote);
  const listedOpen = ledgers.filter(({ namespace }) => namespace === 'open');
  const open = new Set(listedOpen.map(({ number }) => number));
  const pulls = await labelledPulls(repository.octokit, repository, ourLabel).catch((fault: unknown) => {
    log.warn(
      `could not look for lost ledgers of ${repository.owner}/${repository.name}: ${messageOf(fault)}`,
    );
    return [];
  });
  const lost = pulls.filter(({ number }) => !open.has(number));
  const ended = ledgers.filter(({ namespace }) => namespace === 'closed');
  const hasEnded = new Set(ended.map(({ number }) => number));
  await findLostLedgers(
    repository,
    liveRuns,
    lost.filter(({ number }) => !hasEnded.has(number)),
  );
  const reopened = lost.map(({ number }) => number).filter((number) => hasEnded.has(number));
  await sweepReopened(repository, liveRuns, reopened);
  const isNew = (ledger: ListedLedger) => !liveRuns.passedOver.has(keyOf(repository, ledger));
  for (const ledger of mostLikely(listedOpen.filter(isNew), pulls)) {
    const run = liveRuns.of(repository, ledger.number);
    await sweepRun(run, { ...options, now: clock.now(), seals, log }).catch(async (fault: unknown) => {
      await checkUnread(run, { fault, services: liveRuns.services }).catch(noteUnchecked(run, log));
      if (await reportSweepFault(run, fault, liveRuns))
        liveRuns.passedOver.set(keyOf(repository, ledger), true);
    });
  }
  await sweepEnded(repository, liveRuns, ended);
  return open.size > 0 || lost.length > 0;
}

/** For one sweep: anyone with write access can push any number of refs that look like ledgers. */
const maxLedgers = 1000;

/** Those of pull requests that show a run come first. */
function mostLikely(
  ledgers: readonly ListedLedger[],
  pulls: readonly LabelledPull[],
): readonly ListedLedger[] {
  const shown = new Set(pulls.map(({ number }) => number));
  const [first, then] = [true, false].map((isShown) =>
    ledgers.filter(({ number }) => shown.has(number) === isShown),
  );
  return [...(first ?? []), ...(then ?? [])].slice(0, maxLedgers);
}

interface Sweeping extends SweepOptions, Pick<Services, 'seals' | 'log'> {
  readonly now: Date;
}

/** What an approval rests on is checked again whatever else fails, but then nothing is merged. */
async function sweepRun(run: Run, sweeping: Sweeping): Promise<void> {
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
  { isGone, now, seals, log }: Sweeping,
): Promise<void> {
  const { times } = run.doubts;
  const [unread] = await catchUp(run, snapshot, log);
  if (unread === undefined) run.doubts.settle(times);
  const { standing } = snapshot.state;
  if (isLeased(standing)) {
    const { hold } = standing;
    if (isGone(hold.holder) || hold.until < now.toISOString()) {
      const id = `hold_lost:${hold.holder}`;
      await run.record({ type: 'hold_lost', id, at: now.toISOString(), hold });
    }
  }
  // Someone may have answered in a comment that could not be read.
  if (unread === undefined && isAskingHuman(standing) && standing.deadline <= now.toISOString())
    await timeOut(run, standing.deadline, { now, log });
  if (seals !== undefined) await sealAgain(run, snapshot, { key: seals.current, now });
  // The events above were acted on already; this also covers a run without new events.
  const newest = (await run.readLedger())?.state;
  if (newest !== undefined) run.resume(newest);
  if (unread !== undefined) throw unread;
}

function noteUnchecked({ name }: Run, log: Services['log']): (fault: unknown) => void {
  return (fault) => log.warn(`could not check ${name}: ${messageOf(fault)}`);
}

/** A ledger is left alone for as long as it is at the same commit. */
function keyOf({ id }: Repository, { number, commit }: ListedLedger): string {
  return `${id}#${number}@${commit}`;
}
