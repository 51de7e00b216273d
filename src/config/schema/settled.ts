import { Duration } from './quantities.ts';

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

/** What a schema has read in the form of settings: times in seconds, and nothing that is undefined. */
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

/** For a key that settings have only where it is not as usual. */
export function unless<const Usual>(usual: Usual) {
  // The other is not as usual.
  return <T>(value: T) => (Object.is(value, usual) ? undefined : (value as Exclude<T, Usual>));
}

/** For a list that settings have only where anything is on it. */
export function ifAny<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
