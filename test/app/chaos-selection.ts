/** Which of the moments of a session are tried, and for how long. */
export interface Selection {
  /** Where the moments begin, so that other runs try others. */
  readonly offset: number;
  /** Every how many moments one is tried. */
  readonly every: number;
  /** When no further one is begun; without it all are tried. */
  readonly minutes: number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the selection from the environment; a run that failed is repeated with the offset that it printed. */
export function readSelection(variables: Variables, now: Date): Selection {
  const number = (name: string, least: number) => wholeNumber(name, variables[name], least);
  return {
    // Without an offset each run begins elsewhere.
    offset: number('COXSWAIN_CHAOS_OFFSET', 0) ?? Math.floor(now.getTime() / 1000) % 1000,
    every: number('COXSWAIN_CHAOS_EVERY', 1) ?? 10,
    minutes: number('COXSWAIN_CHAOS_MINUTES', 1),
  };
}

/** The selected ones, in the order in which they are tried. */
export function select<T>(all: readonly T[], { offset, every }: Selection): readonly T[] {
  const start = all.length === 0 ? 0 : offset % all.length;
  const rotated = [...all.slice(start), ...all.slice(0, start)];
  return rotated.filter((_, index) => index % every === 0);
}

function wholeNumber(name: string, value: string | undefined, least: number): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,6}$/.test(value) && Number(value) >= least) return Number(value);
  const expected = `expected a whole number of at least ${least}, as in ${name}=${Math.max(least, 7)}`;
  throw new Error(`${name} is ${JSON.stringify(value)}: ${expected}`);
}
