import { runExclusive } from '../../git/keyed-mutex.ts';
import type { Turned } from '../../github/events/github-event.ts';
import { messageOf } from '../../repository/faults.ts';
import { asOpenRun, isWokenBy, type OpenRun } from '../../steering/branch/line-of-runs.ts';
import { areReady } from '../../steering/branch/task-dependencies.ts';
import type { Decided } from '../../steering/loop.ts';
import { type Blocked, isMerged } from '../../steering/shapes/standing.ts';
import type { Dependency, Replacement } from '../../steering/shapes/task.ts';
import type { In, State } from '../../steering/state/state.ts';
import { endedUnmergedText } from '../../words/parts/resolution-texts.ts';
import { orTell } from '../run/background-work.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import { groundOf, notEnded, readState, replacementOf } from './dependencies.ts';
import { mostNow, takeTurns, turnOf } from './turns.ts';

/**
 * Tells runs that depend on this one how it ended, or what has taken its place. What fails for one of them is
 * done for the others all the same, and again for all.
 */
export async function wakeDependents(run: Run, state: State, runs: RepositoryRuns): Promise<void> {
  const { repository, number } = run;
  const { standing } = state;
  const { issue, base } = state.run;
  const numbers = issue === null ? [number] : [number, issue];
  const replaced_by = standing.phase === 'abandoned' ? standing.replaced_by : undefined;
  const isMerge = isMerged(standing);
  const closes = isMerge && state.replaces === undefined && base === repository.default_branch;
  const ended = isMerge ? { number, ...(closes && { issue }) } : { number, is: 'closed' as const };
  const faults: unknown[] = [];
  const open = await notEnded(runs, (fault) => faults.push(fault));
  for (const { number: waiting } of open.filter(isWokenBy(numbers))) {
    const other = runs.of(waiting);
    const waking = async () => {
      if (replaced_by !== undefined) await relink(other, { from: numbers, number, replaced_by });
      await lookAgain(other, runs, ended);
      if (issue !== null && !isMerge && waitsFor(other.newest, issue)) await tellWaiting(other, state);
    };
    await waking().catch((fault: unknown) => faults.push(fault));
  }
  if (open.some(({ behind }) => behind !== undefined))
    await takeTurns(runs).catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}

/** Tells a run that waits for the issue of one, once for each end of that, that it was not merged. */
async function tellWaiting(waiting: Run, { run, owed, started_at }: State): Promise<void> {
  const effect = owed.find((each) => each.do === 'wake');
  if (run.issue === null || effect === undefined) return;
  const text = endedUnmergedText({ number: run.number, issue: run.issue });
  await waiting.say(`${run.number}:${effect.id}`, text, { since: started_at });
}

/** Whether it goes on waiting for an issue that is open, of which another run may be merged. */
function waitsFor(state: State | undefined, issue: number): boolean {
  const on = state?.standing.phase === 'blocked' ? state.standing.on : [];
  return on.some(({ number, is }) => number === issue && is === 'open');
}

/**
 * Something has happened for which runs may wait. Most of it is nobody's concern: once the runs of the
 * repository have been swept, this process knows those that wait. What is told while others are looked up is
 * looked up together, because strangers can close issues all day. The sweep does what fails.
 */
export function noteTurned(what: Turned, runs: RepositoryRuns): Promise<void> {
  const told = runs.turned.add(what);
  return runExclusive(`turned in ${runs.repository.id}`, async () => {
    // Those that came while this waited for its turn were looked up with others.
    if (runs.turned !== told) return;
    runs.turned = new Set();
    const all = [...told];
    const looking = isKnownToAll(all, runs) ? Promise.resolve(knownNotEnded(runs)) : notEnded(runs);
    const found = await looking.catch((fault: unknown) => {
      runs.services.log.warn(
        `could not look what waits for ${all.join(', ')}; the sweep will: ${messageOf(fault)}`,
      );
      return [];
    });
    for (const { number } of found.filter(isWokenBy(all))) await tryToLook(runs.of(number), runs);
  });
}

/** Whether a run in a repository may wait for this, as far as this process can tell without asking. */
export function mayWaitFor(what: Turned, runs: RepositoryRuns | undefined): boolean {
  const known = runs === undefined ? [] : knownNotEnded(runs);
  return !isKnownToAll([what], runs) || known.some(isWokenBy([what]));
}

/**
 * Whether the runs that this process knows are all that matter: it has read all ledgers and nobody else
 * writes them. Branches are pushed to so often that nothing is asked because of that.
 */
function isKnownToAll(all: readonly Turned[], runs: RepositoryRuns | undefined): boolean {
  if (all.every((what) => typeof what === 'string')) return true;
  return runs?.startsReadUpTo !== undefined && !runs.services.others?.present;
}

function knownNotEnded({ open }: RepositoryRuns): readonly OpenRun[] {
  return open.flatMap(({ newest }) => (newest === undefined ? [] : asOpenRun(newest)));
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

/**
 * Looks again whether a blocked run can begin, and what that means for others that wait for their turn; the
 * sweep does what fails.
 */
export async function tryToLook(run: Run, runs: RepositoryRuns): Promise<void> {
  const looking = async () => {
    await lookAgain(run, runs);
    if (run.newest?.settings.open_runs !== undefined) await takeTurns(runs);
  };
  await orTell(runs.services.log, `look what ${run.name} waits for; the sweep will try again`, looking);
}

/** Whether a run waits for others since this event, or for their merges into another base. */
export function isBlockedAnew({ before, state }: Decided): boolean {
  if (state?.standing.phase !== 'blocked') return false;
  return before?.standing.phase !== 'blocked' || before.run.base !== state.run.base;
}

/** Looks again whether a blocked run can begin. */
export async function lookAgain(run: Run, runs: RepositoryRuns, ended?: Ended): Promise<void> {
  for (let step = 0; step < maxSteps; step++) {
    const newest = await run.state();
    if (newest === undefined || !isBlocked(newest)) return;
    if (newest.run.presenter !== runs.services.presenter) return;
    // All that it depends on is merged; what it is behind is told to all that wait for their turn together.
    if (newest.standing.behind !== undefined) return;
    const on = await statesOf(runs, newest, ended);
    if (await relinkReplaced(runs, run, on)) continue;
    const known = on
      .map(({ number, is }) => `${number}=${is}`)
      .sort()
      .join(',');
    const at = runs.now();
    const { base } = newest.run;
    const id = `dependencies:${known}@${newest.seq}`;
    const behind = areReady(on) ? await turnAfter(runs, run, newest) : undefined;
    await run.record({ type: 'dependencies_read', id, at, on, base, ...(behind && { behind }) });
    return;
  }
}

/** What it has to wait behind, now that all is merged that it depends on. */
async function turnAfter(runs: RepositoryRuns, run: Run, { run: { number, adopted }, replaces }: State) {
  if (adopted) return undefined;
  const most = await mostNow(runs, run);
  return turnOf(runs, { number, most, ...(replaces && { replaces: replaces.number }) });
}

function isBlocked(state: State): state is State & { readonly standing: Blocked } {
  return state.standing.phase === 'blocked';
}

async function statesOf(
  runs: RepositoryRuns,
  { run, standing }: In<'blocked'>,
  ended: Ended | undefined,
): Promise<readonly Dependency[]> {
  const ground = groundOf(runs, run.base);
  const on: Dependency[] = [];
  for (const { number } of standing.on) {
    const source = number === ended?.issue ? ended.number : number;
    const known = source === ended?.number ? ended.is : undefined;
    on.push({ number, is: known ?? (await readState(runs, source, ground)) });
  }
  return on;
}

/** Whether other runs had taken the place of something, of which this run was not told. */
async function relinkReplaced(runs: RepositoryRuns, run: Run, on: readonly Dependency[]): Promise<boolean> {
  for (const { number } of on.filter(({ is }) => is === 'closed')) {
    const replaced_by = await replacementOf(runs, number);
    if (replaced_by === undefined) continue;
    await relink(run, { from: [number], number, replaced_by });
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

async function relink(run: Run, { from, number, replaced_by: { cause, made } }: Relinked): Promise<void> {
  const at = run.now();
  const to = made.map((each) => each.number);
  await run.record({ type: 'relinked', id: `relinked:${number}:${cause}`, at, from, to });
}
