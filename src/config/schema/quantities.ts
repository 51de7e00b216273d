import { z } from 'zod';

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const written = /^([1-9][0-9]{0,5})([smhd])$/;

/** Seconds of `90s`, `10m`, `24h` or `2d`; undefined when the text is not a duration. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit] = written.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * secondsIn[unit as keyof typeof secondsIn]; // the pattern allows no other unit
}

/** `90s`, `10m`, `24h` or `2d`, with the largest unit that leaves nothing over. */
export function durationText(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % secondsIn[each] === 0) ?? 's';
  return `${seconds / secondsIn[unit]}${unit}`;
}

/** A time as it was read. In settings it is a number of seconds, and its key ends in that unit. */
export class Duration {
  readonly seconds: number;

  constructor(text: string) {
    const seconds = secondsOf(text);
    if (seconds === undefined)
      throw new Error(`could not read the duration ${text}: the schema should have rejected it`);
    this.seconds = seconds;
  }
}

interface Range {
  readonly min: string;
  readonly max: string;
}

/** A time within bounds. */
export function duration({ min, max }: Range) {
  const error = `a duration from ${min} to ${max}, such as 90s, 10m or 24h`;
  const isWithin = (text: string): boolean => {
    const seconds = secondsOf(text);
    if (seconds === undefined) return true;
    return seconds >= (secondsOf(min) ?? 0) && seconds <= (secondsOf(max) ?? 0);
  };
  return z
    .string({ error })
    .regex(written, { error })
    .refine(isWithin, { error })
    .transform((text) => new Duration(text));
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}
