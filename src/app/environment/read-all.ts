import { EnvironmentError } from './environment-error.ts';

/**
 * What all these readers return, by name. Whoever starts the App learns everything that is wrong at once:
 * throws `EnvironmentError` with the problems of all readers that throw one.
 */
export function readAll<T extends object>(readers: { readonly [K in keyof T]: () => T[K] }): T {
  const problems: string[] = [];
  const values: [string, unknown][] = [];
  for (const [name, read] of Object.entries<() => unknown>(readers)) {
    try {
      values.push([name, read()]);
    } catch (fault) {
      if (!(fault instanceof EnvironmentError)) throw fault;
      problems.push(...fault.problems);
    }
  }
  if (problems.length > 0) throw new EnvironmentError(problems);
  return Object.fromEntries(values) as T; // one value for each reader, by its name
}

/** Without the names whose values are undefined: where nothing is set, a default counts. */
export function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> }; // the same names
}
