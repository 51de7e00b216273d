/** How long an agent may work. Waiting for people is no work. */
export class WorkingTime {
  readonly #controller = new AbortController();
  #leftMs: number;
  #runsSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitedMs = 0;

  /** Timers know no more than 24 days. */
  constructor(ms: number) {
    this.#leftMs = Math.min(ms, 2 ** 31 - 1);
    this.#run();
  }

  /** Aborted when the time is over. */
  get over(): AbortSignal {
    return this.#controller.signal;
  }

  /** How long it has stood still, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** It stands still until `wait` settles. */
  async except<T>(wait: Promise<T>): Promise<T> {
    this.#pause();
    const began = performance.now();
    try {
      return await wait;
    } finally {
      this.#waitedMs += performance.now() - began;
      this.#run();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#runsSince = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(), Math.max(this.#leftMs, 0));
    this.#timer.unref();
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - (this.#runsSince ?? performance.now());
  }
}
