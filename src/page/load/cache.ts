import { LRUCache } from 'lru-cache';

/** Caches what is costly to load, and never loads the same thing twice at once. */
export interface Cache {
  /** The cached value if it is younger than `maxAgeMs`, else what `load` returns. */
  get<T>(key: string, maxAgeMs: number, load: (previous: T | undefined) => Promise<T>): Promise<T>;
  /** Keys with this prefix are loaded again the next time; `load` still receives the previous value. */
  expire(prefix: string): void;
}

interface Entry {
  readonly at: number;
  readonly value: Promise<unknown>;
  /** The last value that could be loaded. */
  readonly previous: unknown;
}

/** Failures are cached too, so that what fails is not loaded all the time. */
const failureMaxAgeMs = 3000;

export function createCache({ max, now = Date.now }: { max: number; now?: () => number }): Cache {
  const entries = new LRUCache<string, Entry>({ max });
  const failed = new WeakSet<Promise<unknown>>();
  const isFresh = ({ at, value }: Entry, maxAgeMs: number) =>
    now() - at < (failed.has(value) ? failureMaxAgeMs : maxAgeMs);

  function keep<T>(key: string, previous: T | undefined, value: Promise<T>): Promise<T> {
    entries.set(key, { at: now(), value, previous });
    value.then(
      (loaded) => {
        const isCurrent = entries.peek(key)?.value === value;
        if (isCurrent) entries.set(key, { at: now(), value, previous: loaded });
      },
      () => failed.add(value),
    );
    return value;
  }

  return {
    get<T>(key: string, maxAgeMs: number, load: (previous: T | undefined) => Promise<T>): Promise<T> {
      const entry = entries.get(key);
      // Each key is used with one type only: it names what is loaded.
      if (entry !== undefined && isFresh(entry, maxAgeMs)) return entry.value as Promise<T>;
      const previous = entry?.previous as T | undefined;
      return keep(key, previous, load(previous));
    },
    expire(prefix) {
      for (const [key, entry] of [...entries.entries()]) {
        if (key.startsWith(prefix)) entries.set(key, { ...entry, at: Number.NEGATIVE_INFINITY });
      }
    },
  };
}
