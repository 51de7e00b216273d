import { join } from 'node:path';
import { ourLabel } from '../github/names.ts';
import { type LabelledPull, labelledPulls } from '../github/read/labelled-pulls.ts';
import { type ListedLedger, listLedgers } from '../ledger/list.ts';
import { isAskingHuman, isLeased } from '../steering/standing.ts';
import { catchUp } from './catch-up.ts';
import { messageOf } from './faults.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Repository } from './repository.ts';
import { findLostLedgers, reportSweepFault } from './restore/find-lost.ts';
import type { Run } from './run.ts';
import { sealAgain } from './seal-again.ts';
import type { Services } from './services.ts';
import { sweepEnded } from './sweep-ended.ts';
import { timeOut } from './timers.ts';

export interface SweepOptions {
  /** Whether the holder of a lease is known to be gone, so that the lease need not expire first. */
  isGone(holder: string): boolean;
}

/** Completes what was missed in one repository: commands, expired leases, deadlines and pending effects. */
export async function sweepRepository(
  repository: Repository,
  liveRuns: LiveRuns,
  options: SweepOptions,
): Promise<void> {
  const { log, data, clock } = liveRuns.services;
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
  await findLostLedgers(repository, liveRuns, lost);
  for (const ledger of mostLikely(listedOpen, pulls)) {
    const run = liveRuns.of(repository, ledger.number);
    if (liveRuns.passedOver.has(keyOf(run, ledger))) continue;
    await sweepRun(run, { ...options, now: clock.now(), seals: liveRuns.services.seals }).catch(
      async (fault: unknown) => {
        if (await reportSweepFault(run, fault, liveRuns)) liveRuns.passedOver.set(keyOf(run, ledger), true);
      },
    );
  }
  await sweepEnded(
    repository,
    liveRuns,
    ledgers.filter(({ namespace }) => namespace === 'closed'),
  );
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

async function sweepRun(
  run: Run,
  { isGone, now, seals }: SweepOptions & { now: Date } & Sealing,
): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const [unread] = await catchUp(run, snapshot);
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
    await timeOut(run, standing.deadline, now);
  if (seals !== undefined) await sealAgain(run, snapshot, { key: seals.current, now });
  // The events above were acted on already; this also covers a run without new events.
  const newest = (await run.readLedger())?.state;
  if (newest !== undefined) run.resume(newest);
  await run.finishAgain();
  if (unread !== undefined) throw unread;
}

type Sealing = Pick<Services, 'seals'>;

/** A ledger is left alone for as long as it is at the same commit. */
function keyOf({ name }: Run, { commit }: ListedLedger): string {
  return `${name}@${commit}`;
}
