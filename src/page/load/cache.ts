/** Keeps what was costly to get, and never gets the same thing twice at once. */
export interface Shelf {
  /** What is kept under the key if it is younger than `freshMs`, else what `load` gets now. */
  get<T>(key: string, freshMs: number, load: (before: T | undefined) => Promise<T>): Promise<T>;
  /** What begins so is got anew the next time; what was there is still given to `load`. */
  expire(prefix: string): void;
}

interface Kept {
  readonly at: number;
  readonly value: Promise<unknown>;
  /** The last value that could be got. */
  readonly before: unknown;
}

/** A failure is kept too, so that what cannot be had is not asked for all the time. */
const failureFreshMs = 3000;

export function createShelf({ most, now = Date.now }: { most: number; now?: () => number }): Shelf {
  const kept = new Map<string, Kept>();
  const failed = new WeakSet<Promise<unknown>>();
  const isFresh = ({ at, value }: Kept, freshMs: number) =>
    now() - at < (failed.has(value) ? failureFreshMs : freshMs);

  function begin<T>(key: string, before: T | undefined, value: Promise<T>): Promise<T> {
    put(kept, most, { key, entry: { at: now(), value, before } });
    value.then(
      (got) => {
        const isCurrent = kept.get(key)?.value === value;
        if (isCurrent) put(kept, most, { key, entry: { at: now(), value, before: got } });
      },
      () => failed.add(value),
    );
    return value;
  }

  return {
    get<T>(key: string, freshMs: number, load: (before: T | undefined) => Promise<T>): Promise<T> {
      const known = kept.get(key);
      // Each key is used with one type only: it names the question.
      if (known !== undefined && isFresh(known, freshMs)) return known.value as Promise<T>;
      const before = known?.before as T | undefined;
      return begin(key, before, load(before));
    },
    expire(prefix) {
      for (const [key, entry] of kept) {
        if (key.startsWith(prefix)) kept.set(key, { ...entry, at: Number.NEGATIVE_INFINITY });
      }
    },
  };
}

/** Puts an entry last; when there are too many, the first goes. */
function put(kept: Map<string, Kept>, most: number, { key, entry }: { key: string; entry: Kept }): void {
  kept.delete(key);
  kept.set(key, entry);
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
