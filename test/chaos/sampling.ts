import { randomInt } from 'node:crypto';

/** Which moments are tried, in which order, and for how long. */
export interface Sampling {
  /** 1 tries every moment, 10 every tenth. */
  readonly every: number;
  /** Where to begin; differs from run to run, so that eventually all moments are tried. */
  readonly offset: number;
  /** No moment is started that might end later than this. */
  readonly minutes: number;
}

const usual = { every: 10, minutes: 40 };

/** Read from `COXSWAIN_CHAOS_EVERY`, `COXSWAIN_CHAOS_OFFSET` and `COXSWAIN_CHAOS_MINUTES`. */
export function readSampling(variables: Readonly<Record<string, string | undefined>>): Sampling {
  const number = (name: string, least: number) => {
    const value = variables[name];
    if (value === undefined || value === '') return undefined;
    if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value);
    const example = `${name}=${Math.max(least, 10)}`;
    throw new Error(
      `${name} is ${JSON.stringify(value)}: expected a whole number from ${least}, as in ${example}`,
    );
  };
  return {
    every: number('COXSWAIN_CHAOS_EVERY', 1) ?? usual.every,
    offset: number('COXSWAIN_CHAOS_OFFSET', 0) ?? randomInt(1000),
    minutes: number('COXSWAIN_CHAOS_MINUTES', 1) ?? usual.minutes,
  };
}

/** Every nth element, from the offset and around the end. */
export function sampleOf<T>(all: readonly T[], { every, offset }: Sampling): readonly T[] {
  const turns = Array.from({ length: Math.ceil(all.length / every) }, (_, turn) => turn * every);
  return turns.flatMap((distance) => all.slice((offset + distance) % all.length).slice(0, 1));
}
