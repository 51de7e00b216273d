import { join } from 'node:path';
import { isOfLedger } from '../../ledger/errors.ts';
import { type ListedLedger, listLedgers } from '../../ledger/list-ledgers.ts';
import type { State } from '../../steering/state/state.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import type { OpenRun } from '../run/run.ts';

/** A repository, and the runs that this process knows. */
export interface Place {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/** Anyone with write access can push any number of refs that look like ledgers. */
const maxLedgers = 1000;

/**
 * The runs of a repository that have not ended, except those of another presenter or that cannot be read. One
 * fetch tells which ledgers there are, and each costs another one only if it has changed since the last time:
 * strangers cause this by closing an issue. `onFault` is told why one could not be read that is there.
 */
export async function openRuns(
  { repository, liveRuns }: Place,
  onFault: (fault: unknown) => void = () => undefined,
): Promise<readonly OpenRun[]> {
  const ledgers = await listedLedgers({ repository, liveRuns });
  const open = ledgers.filter(({ namespace }) => namespace === 'open').slice(0, maxLedgers);
  const found: OpenRun[] = [];
  for (const ledger of open) {
    const key = `${repository.id}#${ledger.number}@${ledger.commit}`;
    const known = liveRuns.openRuns.get(key) ?? (await readRun({ repository, liveRuns }, ledger, onFault));
    if (known !== undefined) liveRuns.openRuns.set(key, known);
    if (known?.isOurs) found.push(known);
  }
  return found;
}

/** Every ledger of a repository. */
export function listedLedgers({ repository, liveRuns }: Place): Promise<readonly ListedLedger[]> {
  const dir = join(liveRuns.services.data, 'ledgers', String(repository.id), 'all');
  return listLedgers(dir, repository.remote);
}

/** Nobody takes a run that is only looked at for one that this process works on. */
async function readRun(
  { repository, liveRuns }: Place,
  { number, commit }: ListedLedger,
  onFault: (fault: unknown) => void,
): Promise<OpenRun | undefined> {
  const { services } = liveRuns;
  const wasOpen = liveRuns.ifOpen(repository, number) !== undefined;
  const run = liveRuns.of(repository, number);
  const isCurrent = run.tip?.commit === commit || !services.others?.present;
  try {
    const state = isCurrent && run.newest !== undefined ? run.newest : (await run.readLedger())?.state;
    return state && asOpenRun(state, state.run.presenter === services.presenter);
  } catch (fault) {
    // What is wrong with it, the sweep tells.
    services.log.warn(`could not look whether others depend on ${run.name}: ${messageOf(fault)}`);
    if (isOfLedger(fault)) return { number, issue: null, base: '', depends_on: [], isOurs: false };
    onFault(fault);
    return undefined;
  } finally {
    if (!wasOpen) await liveRuns.forget(run);
  }
}

export function asOpenRun({ run, task, standing, replaces }: State, isOurs = true): OpenRun {
  const { number, issue, base, adopted } = run;
  const { on, behind = undefined } = standing.phase === 'blocked' ? standing : { on: undefined };
  const known = { ...(on && { on }), ...(behind && { behind }), ...(replaces && { replaces }), adopted };
  return { number, issue, base, depends_on: task.depends_on, ...known, isOurs };
}
