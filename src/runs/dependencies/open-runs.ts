import { join } from 'node:path';
import { type ListedLedger, listLedgers } from '../../ledger/list.ts';
import type { State } from '../../steering/state.ts';
import { messageOf } from '../faults.ts';
import type { LiveRun } from '../live-run.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { upToDate } from '../up-to-date.ts';

/** A repository, and the runs that this process knows. */
export interface Place {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/** A run and what it came to. */
export interface KnownRun {
  readonly run: LiveRun;
  readonly state: State;
}

/** Anyone with write access can push any number of refs that look like ledgers. */
const maxLedgers = 1000;

/**
 * What the runs of a repository came to that have not ended, except those of another presenter or that cannot
 * be read. Those that were not open here are closed again, unless somebody wants to do something with them.
 */
export async function openRuns(
  place: Place,
  isWanted: (state: State) => boolean = () => false,
): Promise<readonly KnownRun[]> {
  const { repository, liveRuns } = place;
  const { services } = liveRuns;
  const open = (await ledgersOf(place)).filter(({ namespace }) => namespace === 'open').slice(0, maxLedgers);
  const found: KnownRun[] = [];
  for (const { number } of open) {
    const wasOpen = liveRuns.ifOpen(repository, number) !== undefined;
    const known = await knownRun(place, number, (run) => upToDate(run, services));
    if (known?.state.run.presenter === services.presenter) found.push(known);
    if (!wasOpen && !(known && isWanted(known.state))) await liveRuns.forget(liveRuns.of(repository, number));
  }
  return found;
}

export function ledgersOf({ repository, liveRuns }: Place): Promise<readonly ListedLedger[]> {
  const dir = join(liveRuns.services.data, 'ledgers', String(repository.id), 'all');
  return listLedgers(dir, repository.remote);
}

/** A run, whether it has ended or not; undefined if there is none with this number, or it cannot be read. */
export async function knownRun(
  { repository, liveRuns }: Place,
  number: number,
  read = async (run: LiveRun) => (await run.readLedger())?.state,
): Promise<KnownRun | undefined> {
  const run = liveRuns.of(repository, number);
  try {
    const state = await read(run);
    return state && { run, state };
  } catch (fault) {
    // What is wrong with it, the sweep tells.
    liveRuns.services.log.warn(`could not look whether others depend on ${run.name}: ${messageOf(fault)}`);
    return undefined;
  }
}
