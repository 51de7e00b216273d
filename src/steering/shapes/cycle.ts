/** What depends on what: each name with those of its dependencies. */
type Dependencies = ReadonlyMap<string, readonly string[]>;

/**
 * A way through dependencies that comes back to where it began, such as `[#1, #5, #3, #1]`; undefined if
 * there is none.
 */
export function cycleIn(dependencies: Dependencies): readonly string[] | undefined {
  const done = new Set<string>();
  for (const name of dependencies.keys()) {
    const cycle = cycleFrom(name, dependencies, { way: [], done });
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

interface Walk {
  readonly way: readonly string[];
  /** From these, no way comes back. */
  readonly done: Set<string>;
}

function cycleFrom(
  name: string,
  dependencies: Dependencies,
  { way, done }: Walk,
): readonly string[] | undefined {
  const before = way.indexOf(name);
  if (before >= 0) return [...way.slice(before), name];
  if (done.has(name)) return undefined;
  for (const next of dependencies.get(name) ?? []) {
    const cycle = cycleFrom(next, dependencies, { way: [...way, name], done });
    if (cycle !== undefined) return cycle;
  }
  done.add(name);
  return undefined;
}
