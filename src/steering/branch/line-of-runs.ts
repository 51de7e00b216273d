import type { Dependency, RunIdentity, Task } from '../shapes/task.ts';
import type { State } from '../state/state.ts';
import { areReady } from './task-dependencies.ts';

/** What others want to know of a run that has not ended. */
export interface OpenRun extends Pick<RunIdentity, 'number' | 'issue' | 'base'>, Pick<Task, 'depends_on'> {
  /** What it waits for; absent if it is not blocked. */
  readonly on?: readonly Dependency[];
  /** The runs that it waits behind; absent if it does not wait for its turn. */
  readonly behind?: readonly number[];
  /** Whether its pull request was there before it; absent if its ledger cannot be read. */
  readonly adopted?: boolean;
  /** In whose place it is, if in anybody's. */
  readonly replaces?: NonNullable<State['replaces']>;
  /** Whether we present it, and its ledger can be read. */
  readonly isOurs: boolean;
}

/** What others want to know of it. */
export function asOpenRun({ run, task, standing, replaces }: State, isOurs = true): OpenRun {
  const { number, issue, base, adopted } = run;
  const { on, behind = undefined } = standing.phase === 'blocked' ? standing : { on: undefined };
  const known = { ...(on && { on }), ...(behind && { behind }), ...(replaces && { replaces }), adopted };
  return { number, issue, base, depends_on: task.depends_on, ...known, isOurs };
}

/**
 * Whether a run waits for one of these: pull requests and issues by their numbers, branches by their names.
 * What is merged elsewhere waits for the base to get it.
 */
export function isWokenBy(turned: readonly (number | string)[]): (run: OpenRun) => boolean {
  return ({ base, on = [] }) =>
    on.some(({ number, is }) => turned.includes(number) || (is === 'merged' && turned.includes(base)));
}

/** What somebody else has opened was there to be reviewed anyway. */
export function isCounted({ adopted = false, on }: OpenRun): boolean {
  return !adopted && (on === undefined || areReady(on));
}

export function isWaiting(run: OpenRun): boolean {
  return run.on !== undefined && areReady(run.on);
}

export function inLine(run: OpenRun): InLine {
  const { number, replaces } = run;
  return { number, ...(replaces && { replaces: replaces.number }), waits: isWaiting(run) };
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
