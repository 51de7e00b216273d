import type { Blocked } from '../../steering/standing.ts';
import { isMerged } from '../../steering/standing.ts';
import type { In, State } from '../../steering/state.ts';
import type { Dependency, Replacement } from '../../steering/task.ts';
import { messageOf } from '../faults.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Run } from '../run.ts';
import { type KnownRun, openRuns, type Place } from './open-runs.ts';
import { groundOf, readState, replacementOf } from './reading.ts';

/**
 * Tells runs that depend on this one how it ended, or what has taken its place. What fails for one of them is
 * done for the others all the same, and again for all.
 */
export async function wakeDependents(run: Run, state: State, liveRuns: LiveRuns): Promise<void> {
  const { repository, number } = run;
  const place = { repository, liveRuns };
  const { standing } = state;
  const { issue, base } = state.run;
  const numbers = issue === null ? [number] : [number, issue];
  const replaced_by = standing.phase === 'abandoned' ? standing.replaced_by : undefined;
  const isMerge = isMerged(standing);
  const closes = isMerge && state.replaces === undefined && base === repository.default_branch;
  const ended = isMerge ? { number, ...(closes && { issue }) } : { number, is: 'closed' as const };
  const faults: unknown[] = [];
  const isWoken = isBlockedOn(numbers);
  for (const { run: other, state: its } of await openRuns(place, isWoken)) {
    if (!isWoken(its)) continue;
    const waking = async () => {
      if (replaced_by !== undefined) await relink(place, other, { from: numbers, number, replaced_by });
      await lookAgain(other, liveRuns, ended);
    };
    await waking().catch((fault: unknown) => faults.push(fault));
  }
  if (faults.length > 0) throw faults[0];
}

/**
 * An issue or a pull request that may be no run was closed or reopened. Most are nobody's concern: once the
 * runs of the repository have been swept, this process knows those that wait. The sweep does what fails.
 */
export async function noteTurned(number: number, place: Place): Promise<void> {
  const { liveRuns, repository } = place;
  const { log } = liveRuns.services;
  try {
    const isWoken = isBlockedOn([number]);
    const isKnown = knowsAll(liveRuns, repository.id);
    const runs = isKnown ? blockedIn(liveRuns, repository.id) : await openRuns(place, isWoken);
    for (const { run, state } of runs) if (isWoken(state)) await lookAgain(run, liveRuns);
  } catch (fault) {
    log.warn(`could not look what depends on #${number}; the sweep will try again: ${messageOf(fault)}`);
  }
}

/** Whether a run in a repository may be blocked, as far as this process can tell without asking anybody. */
export function mayWaitIn(liveRuns: LiveRuns, repository: number): boolean {
  return !knowsAll(liveRuns, repository) || blockedIn(liveRuns, repository).length > 0;
}

/** Whether this process has read all ledgers of a repository, and nobody else writes them. */
function knowsAll({ services, startsReadUpTo }: LiveRuns, repository: number): boolean {
  return startsReadUpTo.has(repository) && !services.others?.present;
}

function blockedIn(liveRuns: LiveRuns, repository: number): readonly KnownRun[] {
  return liveRuns
    .openIn({ id: repository })
    .flatMap((run) => (run.newest?.standing.phase === 'blocked' ? [{ run, state: run.newest }] : []));
}

function isBlockedOn(numbers: readonly number[]): (state: State) => boolean {
  return ({ standing }) =>
    standing.phase === 'blocked' && standing.on.some(({ number }) => numbers.includes(number));
}

/** How often a replacement may have been replaced. */
const maxSteps = 5;

/** A run that has just ended, which GitHub may not show yet. */
interface Ended {
  /** Its pull request. */
  readonly number: number;
  /** What is known of that. */
  readonly is?: 'closed';
  /** The issue that its merge closes. */
  readonly issue?: number | null;
}

/** Looks again whether a blocked run can begin. */
export async function lookAgain(run: Run, liveRuns: LiveRuns, ended?: Ended): Promise<void> {
  const place = { repository: run.repository, liveRuns };
  for (let step = 0; step < maxSteps; step++) {
    const { newest } = run;
    if (newest === undefined || !isBlocked(newest)) return;
    if (newest.run.presenter !== liveRuns.services.presenter) return;
    const on = await statesOf(place, newest, ended);
    if (await relinkReplaced(place, run, on)) continue;
    const known = on
      .map(({ number, is }) => `${number}=${is}`)
      .sort()
      .join(',');
    const at = liveRuns.services.clock.now().toISOString();
    const { base } = newest.run;
    await run.record({ type: 'dependencies_read', id: `dependencies:${known}@${newest.seq}`, at, on, base });
    return;
  }
}

function isBlocked(state: State): state is State & { readonly standing: Blocked } {
  return state.standing.phase === 'blocked';
}

async function statesOf(
  place: Place,
  { run, standing }: In<'blocked'>,
  ended: Ended | undefined,
): Promise<readonly Dependency[]> {
  const ground = await groundOf(place, run.base);
  const on: Dependency[] = [];
  for (const { number } of standing.on) {
    const source = number === ended?.issue ? ended.number : number;
    const known = source === ended?.number ? ended.is : undefined;
    on.push({ number, is: known ?? (await readState(place, source, ground)) });
  }
  return on;
}

/** Whether other runs had taken the place of something, of which this run was not told. */
async function relinkReplaced(place: Place, run: Run, on: readonly Dependency[]): Promise<boolean> {
  for (const { number } of on.filter(({ is }) => is === 'closed')) {
    const replaced_by = await replacementOf(place, number);
    if (replaced_by === undefined) continue;
    await relink(place, run, { from: [number], number, replaced_by });
    return true;
  }
  return false;
}

interface Relinked {
  readonly from: readonly number[];
  /** The run that was replaced. */
  readonly number: number;
  readonly replaced_by: Replacement;
}

async function relink(
  { liveRuns }: Place,
  run: Run,
  { from, number, replaced_by: { cause, made } }: Relinked,
): Promise<void> {
  const at = liveRuns.services.clock.now().toISOString();
  const to = made.map((each) => each.number);
  await run.record({ type: 'relinked', id: `relinked:${number}:${cause}`, at, from, to });
}
