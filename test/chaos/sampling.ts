import { randomInt } from 'node:crypto';

/** Which kill points are tried, in which order, and for how long. */
export interface Sampling {
  /** 1 tries every kill point, 10 every tenth. */
  readonly every: number;
  /** Where to begin; random by default, so that over many runs all kill points are tried. */
  readonly offset: number;
  /** No session is started that might end later than this. */
  readonly minutes: number;
}

const defaults = { every: 10, minutes: 40 };

/** Read from `COXSWAIN_CHAOS_EVERY`, `COXSWAIN_CHAOS_OFFSET` and `COXSWAIN_CHAOS_MINUTES`. */
export function readSampling(variables: Readonly<Record<string, string | undefined>>): Sampling {
  const number = (name: string, min: number) => {
    const value = variables[name];
    if (value === undefined || value === '') return undefined;
    if (/^\d{1,9}$/.test(value) && Number(value) >= min) return Number(value);
    const example = `${name}=${Math.max(min, 10)}`;
    throw new Error(
      `${name} is ${JSON.stringify(value)}: expected a whole number from ${min}, as in ${example}`,
    );
  };
  return {
    every: number('COXSWAIN_CHAOS_EVERY', 1) ?? defaults.every,
    offset: number('COXSWAIN_CHAOS_OFFSET', 0) ?? randomInt(1000),
    minutes: number('COXSWAIN_CHAOS_MINUTES', 1) ?? defaults.minutes,
  };
}

/** Every nth element, starting at the offset and wrapping around at the end. */
export function sampleOf<T>(all: readonly T[], { every, offset }: Sampling): readonly T[] {
  const distances = Array.from({ length: Math.ceil(all.length / every) }, (_, index) => index * every);
  return distances.flatMap((distance) => all.slice((offset + distance) % all.length).slice(0, 1));
}
