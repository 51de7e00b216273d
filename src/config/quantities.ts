import { z } from 'zod';

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const written = /^([1-9][0-9]{0,5})([smhd])$/;

/** Seconds of `90s`, `10m`, `24h` or `2d`; undefined when the text is not a duration. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit] = written.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * secondsIn[unit as keyof typeof secondsIn]; // the pattern allows no other unit
}

interface Range {
  readonly least: string;
  readonly most: string;
}

/** A duration, kept as text. */
export function duration({ least, most }: Range) {
  const error = `a duration from ${least} to ${most}, such as 90s, 10m or 24h`;
  const isWithin = (text: string): boolean => {
    const seconds = secondsOf(text);
    if (seconds === undefined) return true;
    return seconds >= (secondsOf(least) ?? 0) && seconds <= (secondsOf(most) ?? 0);
  };
  return z.string({ error }).regex(written, { error }).refine(isWithin, { error });
}

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}
