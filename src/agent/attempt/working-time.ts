/** How long an agent may work. Waiting for people is no work. */
export class WorkingTime {
  readonly #controller = new AbortController();
  #leftMs: number;
  #runsSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #waits = 0;

  /** Timers know no more than 24 days. */
  constructor(ms: number) {
    this.#leftMs = Math.min(ms, 2 ** 31 - 1);
    this.#run();
  }

  /** Aborted when the time is over. */
  get over(): AbortSignal {
    return this.#controller.signal;
  }

  /** It stands still until `wait` settles, and all other waits. */
  async except<T>(wait: Promise<T>): Promise<T> {
    if (this.#waits === 0) this.#pause();
    this.#waits += 1;
    try {
      return await wait;
    } finally {
      this.#waits -= 1;
      if (!this.#isStopped && this.#waits === 0) this.#run();
    }
  }

  stop(): void {
    this.#isStopped = true;
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
