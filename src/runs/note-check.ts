import type { RunEvent } from '../github/listen/run-event.ts';
import type { State } from '../steering/state.ts';
import { messageOf } from './faults.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Repository } from './repository.ts';
import type { Run } from './run.ts';

type CheckEnded = Extract<RunEvent, { kind: 'check_ended' }>;

/**
 * A check has ended that a run may wait for, or was judged by. Webhooks come late and in any order, so GitHub
 * is asked what holds now; the sweep does what fails or is missed.
 */
export async function noteCheck(
  ended: CheckEnded,
  { repository, liveRuns }: { readonly repository: Repository; readonly liveRuns: LiveRuns },
): Promise<void> {
  const { others, log } = liveRuns.services;
  for (const number of ended.numbers) {
    const run = liveRuns.of(repository, number);
    const reading = async () => {
      if (await isNamed(run, ended, others?.present === true)) await run.readChecks();
    };
    await reading().catch((fault: unknown) =>
      log.warn(`could not read the checks of ${run.name}; the sweep will try again: ${messageOf(fault)}`),
    );
  }
}

/**
 * Whether the run's configuration names the check and the commit is its head. What this process knows of the
 * run may be outdated: another one may have pushed the commit.
 */
async function isNamed(run: Run, ended: CheckEnded, hasOthers: boolean): Promise<boolean> {
  if (run.newest !== undefined && !hasOthers) {
    if (!names(run.newest, ended)) return false;
    if (run.newest.head === ended.head) return true;
  }
  const known = await run.readLedger();
  return known !== undefined && names(known.state, ended) && known.state.head === ended.head;
}

function names({ settings: { checks = [] } }: State, { check: { check, app } }: CheckEnded): boolean {
  return checks.some((spec) => spec.check === check && spec.app === app);
}
