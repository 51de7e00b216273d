import { queueWork } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  type Next,
  next,
  nothing,
  type Step,
  withReply,
} from '../iterations/step.ts';
import type { Blocked } from '../shapes/standing.ts';
import type { Dependency } from '../shapes/task.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

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
