import { LRUCache } from 'lru-cache';

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
