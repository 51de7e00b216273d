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
