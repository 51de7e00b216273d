/** A session uses more than half a core, and waits in between. */
const concurrency = 3;

/** Stops in time, assuming that no session takes longer than the longest one so far. */
export class TimeBudget {
  readonly #minutes: number;
  readonly #began = performance.now();
  #longestMs = 0;

  constructor(minutes: number) {
    this.#minutes = minutes;
  }

  /** Whether there is time for another session. */
  get hasTime(): boolean {
    return performance.now() - this.#began + this.#longestMs < this.#minutes * 60_000;
  }

  async timed<T>(session: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await session();
    this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
    return result;
  }

  elapsedMinutes(): string {
    return ((performance.now() - this.#began) / 60_000).toFixed(1);
  }
}

/** Processes the elements, a few at a time. */
export async function inPool<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
