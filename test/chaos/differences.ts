import { isDeepStrictEqual } from 'node:util';

/** What differs between two values, part by part. */
export function differencesBetween<T>(
  expected: T,
  actual: T,
  parts: readonly (keyof T)[],
): readonly string[] {
  return parts
    .filter((part) => !isDeepStrictEqual(expected[part], actual[part]))
    .map((part) => `  ${String(part)}: ${firstDifference(expected[part], actual[part])}`);
}

function firstDifference(expected: unknown, actual: unknown): string {
  const lines = (value: unknown) => JSON.stringify(value, null, 1).split('\n');
  const [wanted, found] = [lines(expected), lines(actual)];
  const missing = wanted.filter((line) => !found.includes(line)).slice(0, 12);
  const extra = found.filter((line) => !wanted.includes(line)).slice(0, 12);
  return `\n    - ${missing.join('\n    - ')}\n    + ${extra.join('\n    + ')}`;
}
