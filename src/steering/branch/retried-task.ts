import { withContributors } from '../iterations/authorship.ts';
import type { CommandEventOf } from '../iterations/step.ts';
import type { TaskOverrides } from '../shapes/settings.ts';
import type { Dependency } from '../shapes/task.ts';
import type { State } from '../state/state.ts';
import { waitedFor } from './task-dependencies.ts';

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
