export interface AtOnce {
  /** How many are under way at the same time. */
  readonly atOnce: number;
  /** Asked before each. */
  readonly isStopped: () => boolean;
}

/** Acts on each, a few at once, so that a slow one keeps no other. Returns whether all were completed. */
export async function aFewAtOnce<T>(
  all: readonly T[],
  act: (each: T) => Promise<boolean>,
  { atOnce, isStopped }: AtOnce,
): Promise<boolean> {
  const rest = all.values();
  let isComplete = true;
  const work = async () => {
    // All workers take from the same iterator, so each item is taken once.
    for (const each of rest) {
      if (isStopped()) isComplete = false;
      else if (!(await act(each))) isComplete = false;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return isComplete;
}
