/**
 * How many lines of each body to show so that all together fit the budget:
 * the largest are cut first, and never below one that is not cut.
 */
export function allotted(lengths: readonly number[], budget: number): readonly number[] {
  const smallestFirst = lengths
    .map((length, index) => ({ length, index }))
    .sort((a, b) => a.length - b.length);
  const shown = lengths.map(() => 0);
  let left = budget;
  for (const [done, { length, index }] of smallestFirst.entries()) {
    const fair = Math.floor(left / (smallestFirst.length - done));
    const lines = Math.min(length, fair);
    shown[index] = lines;
    left -= lines;
  }
  return shown;
}
