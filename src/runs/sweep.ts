import { join } from 'node:path';
import { readOpenLedgers } from '../ledger/read-open.ts';
import { isAskingHuman, isLeased } from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { catchUp } from './catch-up.ts';
import { messageOf } from './faults.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Repository } from './repository.ts';
import { findLostLedgers, reportSweepFault } from './restore/find-lost.ts';
import type { Run } from './run.ts';
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
  const { log, data } = liveRuns.services;
  const dir = join(data, 'ledgers', String(repository.id), 'open');
  const states = await readOpenLedgers(dir, repository.remote, (number, fault) =>
    log.error(
      `the ledger of ${repository.owner}/${repository.name}#${number} cannot be read: ${messageOf(fault)}`,
    ),
  );
  await findLostLedgers(repository, liveRuns, (number) => states.has(number)).catch((fault: unknown) =>
    log.warn(
      `could not look for lost ledgers of ${repository.owner}/${repository.name}: ${messageOf(fault)}`,
    ),
  );
  for (const [number, state] of states) {
    if (state.run.presenter !== liveRuns.services.presenter) continue;
    const run = liveRuns.of(repository, number);
    await sweepRun(run, state, { ...options, now: liveRuns.services.clock.now() }).catch((fault: unknown) =>
      reportSweepFault(run, fault, liveRuns),
    );
  }
}

async function sweepRun(
  run: Run,
  state: State,
  { isGone, now }: SweepOptions & { now: Date },
): Promise<void> {
  await catchUp(run);
  const { standing } = state;
  if (isLeased(standing)) {
    const { hold } = standing;
    if (isGone(hold.holder) || hold.until < now.toISOString()) {
      const id = `hold_lost:${hold.holder}`;
      await run.record({ type: 'hold_lost', id, at: now.toISOString(), hold });
    }
  }
  if (isAskingHuman(standing) && standing.deadline <= now.toISOString())
    await timeOut(run, standing.deadline, now);
  // The events above were acted on already; this also covers a run without new events.
  const newest = (await run.readLedger())?.state;
  if (newest !== undefined) run.resume(newest);
}
