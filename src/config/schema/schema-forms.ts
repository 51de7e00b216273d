import { z } from 'zod';

/** Parts of schemas, each of which says in words what it expects, whatever of it is wrong. */

/** A key with what it says of itself: its words, an example, and who may change it in which way. */
export function key<S extends z.ZodType>(schema: S, about: z.GlobalMeta): S {
  return schema.meta(about);
}

export function textLike(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

/** Names of agents and stages become folders of the ledger, and are written after `--with`. */
export const lowerName = /^[a-z][a-z0-9_-]{0,39}$/;

export function textOf(min: number, max: number, error: string) {
  const text = z.string({ error }).max(max, { error });
  return min === 0 ? text : text.min(min, { error });
}

/** A text that says something. */
export function wordsOf(max: number, error: string) {
  return textOf(0, max, error).regex(/\S/, { error });
}

/** One of these, or a list of 1 to 50. */
export function oneOrMore(glob: z.ZodString, one: string) {
  const error = `${one}; or a list of 1 to 50 of these`;
  return z.union([glob, z.array(glob).min(1, { error }).max(50, { error })], {
    error: ({ input }) => expectedGlob(input, error),
  });
}

/** A key that must not be there, and why. */
export function notHere(error: string) {
  return z.never({ error }).optional();
}

/** Every file has to say which format it is in. */
export function version() {
  return key(z.literal(1, { error: '1, the version of this format' }), {
    description: 'The version of this format. The only required key.',
    examples: [1],
  });
}

export function oneOf<const W extends readonly string[]>(words: W) {
  return z.enum(words, { error: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });
}

export function numberFrom(min: number, max: number, error = `a number from ${min} to ${max}`) {
  return z.number({ error }).min(min, { error }).max(max, { error });
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

/** A list of at most so many; `noun` is what they are. */
export function listOf<T extends z.ZodType>(item: T, max: number, noun: string, error = `a list of ${noun}`) {
  return z.array(item, { error }).max(max, { error: `at most ${max} ${noun}` });
}

/** It has these keys and no others. */
export function mapping<S extends z.ZodRawShape>(shape: S, error = 'a mapping') {
  return z.strictObject(shape, { error });
}

/** It is a mapping of which none of the keys needs to be written. */
export function section<S extends z.ZodRawShape>(shape: S, error?: string) {
  // What has a key that must be written is a mapping.
  return mapping(shape, error).prefault({} as never);
}

type WithoutDefault<Key> = Key extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : Key;

/** Gives the same keys, of which none has a value that nobody has written. */
export function withoutDefaults<S extends z.ZodRawShape>(shape: S) {
  const entries = Object.entries(shape).map(([key, schema]) => {
    const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
    return [key, hasDefault ? schema.unwrap() : schema];
  });
  return Object.fromEntries(entries) as { [K in keyof S]: WithoutDefault<S[K]> }; // the same by its type
}

/** Refuses a second entry of the same name, under this key of it. */
export function unique<T>(key: string, nameOf: (entry: T) => string, expected: (first: number) => string) {
  return (listed: readonly T[], context: Pick<z.core.$RefinementCtx, 'addIssue'>) => {
    for (const [index, entry] of listed.entries()) {
      const first = listed.findIndex((other) => nameOf(other) === nameOf(entry));
      if (first === index) continue;
      context.addIssue({ code: 'custom', path: [index, key], message: expected(first) });
    }
  };
}

/**
 * Says what is expected instead of a bad glob, or of a list with one: closed signs, if one of them is not.
 */
export function expectedGlob(input: unknown, expected: string): string {
  const globs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const wrong = globs.flatMap((glob) => (typeof glob === 'string' ? (unclosed(glob) ?? []) : []));
  return wrong[0] === undefined ? expected : `a glob whose braces and brackets are closed: ${wrong[0]}`;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Says what is wrong with the braces and brackets of a glob, with the place of the first that has no partner,
 * counted in characters from 1; undefined if each has one.
 */
function unclosed(glob: string): string | undefined {
  const open: { readonly sign: string; readonly at: number }[] = [];
  for (const [index, sign] of [...glob].entries()) {
    if (closing[sign] !== undefined) open.push({ sign, at: index + 1 });
    if (sign !== '}' && sign !== ']') continue;
    const last = open.pop();
    if (last === undefined) return `the \`${sign}\` at character ${index + 1} closes nothing`;
    if (closing[last.sign] !== sign) return notClosed(last);
  }
  const [first] = open;
  return first && notClosed(first);
}

function notClosed({ sign, at }: { readonly sign: string; readonly at: number }): string {
  return `the \`${sign}\` at character ${at} has no \`${closing[sign]}\``;
}

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

/** A time within bounds. */
export function duration({ min, max }: { readonly min: string; readonly max: string }) {
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

type NameOf<T, K extends keyof T> = [Extract<T[K], Duration>] extends [never] ? K : `${K & string}_s`;

/** What becomes of a value that a schema has read: whatever may be undefined is optional instead. */
export type Settled<T> = T extends Duration
  ? number
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Settled<Item>[]
      : { [K in keyof T as undefined extends T[K] ? never : NameOf<T, K>]: Settled<T[K]> } & {
          [K in keyof T as undefined extends T[K] ? NameOf<T, K> : never]?: Settled<Exclude<T[K], undefined>>;
        };

/** Puts what a schema has read into the form of settings: times in seconds, and nothing undefined. */
export function settled<const T>(value: T): Settled<T> {
  return settle(value) as Settled<T>; // the same by its type
}

function settle(value: unknown): unknown {
  if (value instanceof Duration) return value.seconds;
  if (Array.isArray(value)) return value.map(settle);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    known.map(([key, each]) => [each instanceof Duration ? `${key}_s` : key, settle(each)]),
  );
}

/** Settings have such a key only where it is not as usual. */
export function unless<const Usual>(usual: Usual) {
  // The other is not as usual.
  return <T>(value: T) => (Object.is(value, usual) ? undefined : (value as Exclude<T, Usual>));
}

/** Settings have such a list only where anything is on it. */
export function ifAny<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Whatever may be undefined becomes optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out the keys whose value is undefined. */
export function defined<const T extends object>(value: T): Defined<T> {
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(known) as Defined<T>; // only such keys are left
}
