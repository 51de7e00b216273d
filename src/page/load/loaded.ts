import { LRUCache } from 'lru-cache';
import { messageOf } from '../../runs/repository/faults.ts';

interface Entry {
  readonly at: number;
  readonly value: Promise<unknown>;
  /** The last value that was loaded successfully. */
  readonly previous: unknown;
}

/** Failures are cached too, so that a failing request is not repeated all the time. */
const failureMaxAgeMs = 3000;

/** Caches values that are costly to load; concurrent requests for the same key share one load. */
export class Cache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #failed = new WeakSet<Promise<unknown>>();
  readonly #now: () => number;

  constructor({ max, now = Date.now }: { max: number; now?: () => number }) {
    this.#entries = new LRUCache({ max });
    this.#now = now;
  }

  /** The cached value if it is younger than `maxAgeMs`, else what `load` returns. */
  get<T>(key: string, maxAgeMs: number, load: (previous: T | undefined) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key);
    // Each key is used with one type only: it names what is loaded.
    if (entry !== undefined && this.#isFresh(entry, maxAgeMs)) return entry.value as Promise<T>;
    const previous = entry?.previous as T | undefined;
    const value = load(previous);
    this.#entries.set(key, { at: this.#now(), value, previous });
    value.then(
      (loaded) => this.#store(key, value, loaded),
      () => this.#failed.add(value),
    );
    return value;
  }

  /** Keys with this prefix are loaded again the next time; `load` still receives the previous value. */
  expire(prefix: string): void {
    for (const [key, entry] of [...this.#entries.entries()]) {
      if (key.startsWith(prefix)) this.#entries.set(key, { ...entry, at: Number.NEGATIVE_INFINITY });
    }
  }

  #isFresh({ at, value }: Entry, maxAgeMs: number): boolean {
    return this.#now() - at < (this.#failed.has(value) ? failureMaxAgeMs : maxAgeMs);
  }

  #store(key: string, value: Promise<unknown>, loaded: unknown): void {
    if (this.#entries.peek(key)?.value !== value) return;
    this.#entries.set(key, { at: this.#now(), value, previous: loaded });
  }
}

/** A value, or why it could not be loaded, so that a missing value is never shown as an empty one. */
export type Loaded<T> = { readonly value: T } | { readonly missing: string };

/** How long a page waits for one of its parts; the next refresh shows what arrives later. */
const timeoutMs = 2500;

/**
 * `what` begins the sentence that says it is not available (`The diff`); `absent` says that there is none.
 */
export async function loaded<T>(
  what: string,
  work: Promise<T | undefined>,
  absent = `${what} isn't available right now.`,
): Promise<Loaded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Loaded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ missing: `${what} is still loading.` }), timeoutMs);
  });
  const result = work.then(
    (value): Loaded<T> => (value === undefined ? { missing: absent } : { value }),
    (fault: unknown): Loaded<T> => ({ missing: `${what} isn't available right now: ${messageOf(fault)}.` }),
  );
  const first = await Promise.race([result, late]);
  clearTimeout(timer);
  return first;
}
