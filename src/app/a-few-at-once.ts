/**
 * Acts on each, a few at once, so that a slow one keeps no other; `isStopped` is asked before each. Returns
 * whether all were completed.
 */
export async function aFewAtOnce<T>(
  all: readonly T[],
  act: (each: T) => Promise<boolean>,
  { atOnce, isStopped }: { readonly atOnce: number; readonly isStopped: () => boolean },
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
