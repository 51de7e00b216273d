import { reportAt, withContributors } from '../iterations/authorship.ts';
import { currentIteration, queueWork, updateIteration } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  type Next,
  next,
  nothing,
  type Step,
  withReply,
} from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { TaskOverrides } from '../shapes/settings.ts';
import type { Blocked } from '../shapes/standing.ts';
import type { Dependency } from '../shapes/task.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { updateDue, updated, withBaseMerged } from './undo-and-update.ts';

/** Whether everything is merged into the base. */
export function areReady(on: readonly Dependency[]): boolean {
  return on.every((each) => each.is === 'ready');
}

/**
 * What has to be merged before the run goes on, be it that it has stopped meanwhile; undefined if nothing.
 */
export function waitedFor({ standing, waits_for }: State): readonly Dependency[] | undefined {
  return standing.phase === 'blocked' ? standing.on : waits_for;
}

/** The state for another base: whether anything is merged into that, nobody has looked yet. */
export function waitingAnewFor(state: State): State {
  const unread = (on: readonly Dependency[]) =>
    on.map(({ number, is }) => ({ number, is: is === 'ready' ? ('merged' as const) : is }));
  const { standing, waits_for } = state;
  return {
    ...state,
    ...(standing.phase === 'blocked' && { standing: blockedOn(unread(standing.on), standing.behind) }),
    ...(waits_for !== undefined && { waits_for: unread(waits_for) }),
  };
}

/** Where a run stands that has done nothing yet: its work is due, or it waits for other runs. */
export function beginsOrWaits(
  on: readonly Dependency[],
  behind: readonly number[] = [],
): Blocked | { readonly phase: 'queued'; readonly work: 'attempt' } {
  const isNext = areReady(on) && behind.length === 0;
  return isNext ? { phase: 'queued', work: 'attempt' } : blockedOn(on, behind);
}

/** A run is in no line before everything is merged that it depends on. */
function blockedOn(on: readonly Dependency[], behind: readonly number[] = []): Blocked {
  return { phase: 'blocked', on, ...(areReady(on) && behind.length > 0 && { behind }) };
}

/** An attempt is due, or as soon as everything is merged that it depends on and its turn has come. */
export function queueAttempt(before: State, on: readonly Dependency[], subject: string): Next {
  const { waits_for, ...state } = before;
  const { standing } = state;
  const then = beginsOrWaits(on, standing.phase === 'blocked' ? standing.behind : undefined);
  if (then.phase === 'blocked') return next(state, { standing: then }, subject);
  return waits_for === undefined && on.length === 0
    ? queueWork(state, 'attempt', subject)
    : beginWaiting(state, subject);
}

/** The attempt begins with what was merged while the run waited. */
function beginWaiting(state: State, subject: string): Next {
  return queueWork({ ...state, merges_base: true }, 'attempt', subject);
}

/** Looks again whether the run can begin. People are told once of what will not be merged any more. */
export function dependenciesRead(state: In<'blocked'>, event: EventOf<'dependencies_read'>): Step {
  // Somebody has changed the base meanwhile, which may not hold the same.
  if (event.base !== undefined && event.base !== state.run.base) return nothing;
  const { on: before, behind: former = [] } = state.standing;
  // What others have taken the place of meanwhile is not what was asked for.
  const on = before.map((known) => event.on.find(({ number }) => number === known.number) ?? known);
  const moved = on.filter((now, index) => now.is !== before[index]?.is);
  const standing = beginsOrWaits(on, event.behind);
  if (standing.phase !== 'blocked')
    return beginWaiting(state, former.length > 0 ? 'Begin: its turn has come' : `Begin: ${list(on)} merged`);
  const { behind = [] } = standing;
  if (moved.length === 0 && String(behind) === String(former)) return nothing;
  const closed = moved.filter(({ is }) => is === 'closed');
  const still = moved.map(({ number, is }) => `#${number} is ${is}`).join(', ');
  const subject = behind.length > 0 ? `Wait behind ${numbersText(behind)}` : `Still blocked: ${still}`;
  const step = next(state, { standing }, subject);
  if (closed.length === 0) return step;
  return withReply(step, event, { say: 'dependency_closed', numbers: closed.map(({ number }) => number) });
}

function list(on: readonly Dependency[]): string {
  return `${numbersText(on.map(({ number }) => number))} ${on.length === 1 ? 'is' : 'are'}`;
}

function numbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

/** Other runs have taken the place of what this one depends on, which also counts while it has stopped. */
export function relink(state: State, { from, to }: EventOf<'relinked'>): Step {
  const on = waitedFor(state) ?? [];
  const kept = on.filter(({ number }) => !from.includes(number));
  if (kept.length === on.length || to.length === 0) return nothing;
  const known = [state.run.number, ...kept.map(({ number }) => number)];
  const fresh = to.filter((number) => !known.includes(number));
  const now: readonly Dependency[] = [...kept, ...fresh.map((number) => ({ number, is: 'open' }) as const)];
  const task = { ...state.task, depends_on: now.map(({ number }) => `#${number}`) };
  const subject = `Depend on ${numbersText(to)} instead of ${numbersText(from)}`;
  if (state.standing.phase === 'blocked') return queueAttempt({ ...state, task }, now, subject);
  return next(state, { task, waits_for: now }, subject);
}

/** Somebody who may decide that knows that it can begin all the same. */
export function beginAllTheSame(state: In<'blocked'>, event: CommandEventOf<'resume'>): Step {
  return accepted(beginWaiting(state, `Started anyway by ${event.by.login}`), event);
}

/** The base is merged into the branch, before an agent begins or as an update. */
export function baseMerged(before: In<'working' | 'verifying'>, event: EventOf<'base_merged'>): Next {
  const { head, head_before, base, base_sha, skips_ci, at } = event;
  const { merges_base: _, ...merged } = before;
  const state: State = { ...merged, iterations: updated(before), ...thenVerified(before) };
  const { run } = state;
  const subject = `Merge ${base} at ${shortSha(base_sha)} into the branch`;
  if (head === head_before) return next(state, {}, subject);
  const moved: Partial<State> = {
    ...{ head, head_at: at, shown: null, approvals: [], ...reportAt(state, head) },
    iterations: updateIteration(state, { head_after: head }),
    ...(skips_ci && { ci_skipped: head }),
    // Nothing of it is the agent's work.
    ...(head_before === run.head && { run: { ...run, head } }),
    ...withBaseMerged(state, base),
  };
  return { ...next(state, moved, subject), takes_code: true };
}

/** Where Git could merge what an agent was to resolve, there is nothing left for it to do. */
function thenVerified(state: In<'working' | 'verifying'>): Partial<State> {
  const { standing } = state;
  const isForAgent = updateDue(state) === undefined || currentIteration(state).steers.length > 0;
  if (standing.phase === 'verifying' || isForAgent) return {};
  return { standing: { phase: 'verifying', hold: standing.hold, work: 'verify_head' } };
}

type Retry = CommandEventOf<'retry'>;

/**
 * The keys of a task, and of what it tightens, that a retry says otherwise than they were: who sends the
 * block as it was given to them has asked for nothing new.
 */
export function changedKeys(
  state: State,
  { command: { changes = {} }, task_facts }: Retry,
): readonly string[] {
  const { overrides = {}, ...words } = changes;
  const differing = <T extends object>(written: object, now: T, before: Partial<T>) =>
    Object.keys(written).filter((key) => !isSame(now[key as keyof T], before[key as keyof T]));
  return [
    ...differing(words, words, state.task),
    ...differing(overrides, task_facts?.overrides ?? {}, state.overrides ?? {}),
  ];
}

/** Compares values that both came from JSON. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Whoever puts a task in other words has shaped the work. The words before it stay in the ledger's events.
 */
export function withTask(state: State, event: Retry): State {
  const { by, command, task_facts } = event;
  const changed = changedKeys(state, event);
  if (changed.length === 0) return state;
  const { overrides: _, ...words } = command.changes ?? {};
  // What others have taken the place of is not what it waits for.
  const depends_on = waitedForAfter(state, event).map(({ number }) => `#${number}`);
  const task = { ...state.task, ...words, ...(changed.includes('depends_on') && { depends_on }) };
  // Those of before were inherited when the facts were read; one that has come since must not get lost.
  const overrides = task_facts?.overrides && { ...state.overrides, ...task_facts.overrides };
  return {
    ...{ ...state, task, ...withContributors(state, [by]) },
    ...(overrides && { overrides }),
    ...(changed.includes('max_steering_iterations') && { max_iterations: fewer(state, overrides) }),
  };
}

/** All else is in the settings, which are read again for the attempt; this count people have extended. */
function fewer({ max_iterations, iteration }: State, { max_steering_iterations: most }: TaskOverrides = {}) {
  return typeof most === 'number' ? Math.max(iteration, Math.min(most, max_iterations)) : max_iterations;
}

/** What the run depends on after a retry: whoever says nothing new of that leaves it as it is. */
export function waitedForAfter(state: State, event: Retry): readonly Dependency[] {
  const isChanged = changedKeys(state, event).includes('depends_on');
  return (isChanged ? event.task_facts?.on : waitedFor(state)) ?? [];
}

/** A run that has not ended, as it counts where only so many of a repository may be open. */
export interface InLine {
  readonly number: number;
  /** The run whose place it takes; absent if it takes none. */
  readonly replaces?: number;
  /** Nothing of it has begun, and it waits for nothing but its turn. */
  readonly waits: boolean;
}

/**
 * What each run that waits for its turn is behind: nothing if that has come, the open ones if it is the
 * first in line, else the one before it. So the end of a run changes that of two, however many wait.
 *
 * The order is that of the pull requests, which GitHub numbers, and what takes the place of another run takes
 * its place in line: whoever looks comes to the same.
 */
export function turnsIn(
  line: readonly InLine[],
  most = Number.POSITIVE_INFINITY,
): ReadonlyMap<number, readonly number[]> {
  const waiting = line.filter(({ waits }) => waits).toSorted(inOrder);
  const begun = line.filter(({ waits }) => !waits);
  const room = Math.max(0, most - begun.length);
  const open = [...begun, ...waiting.slice(0, room)].map(({ number }) => number);
  return new Map(
    waiting.map(({ number }, index): [number, readonly number[]] => {
      const before = waiting[index - 1];
      if (index < room) return [number, []];
      return [number, index === room || before === undefined ? open : [before.number]];
    }),
  );
}

function inOrder(one: InLine, other: InLine): number {
  return placeOf(one) - placeOf(other) || one.number - other.number;
}

function placeOf({ number, replaces = number }: InLine): number {
  return replaces;
}
