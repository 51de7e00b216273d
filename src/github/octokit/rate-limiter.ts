import { type RateLimiterClock, wallClock } from './clock.ts';
import { createTokenBucket, githubLimits, type TokenBucket, type WriteLimits } from './token-bucket.ts';

/** Keeps the requests of one installation within GitHub's rate limits. */
export interface RateLimiter {
  /** Resolves when the request may be sent. Call the result when its answer has arrived. */
  enter(priority: Priority): Promise<Release>;
  /** GitHub asked us to wait: nothing is sent before `until` (milliseconds since 1970). */
  quiet(until: number): void;
  /** How many writes are waiting. */
  readonly waitingWrites: number;
}

/**
 * Reads only wait for a free slot; writes also for the write limit, acknowledgements before most others, and
 * answers to people without write access after all others.
 */
export type Priority = 'read' | 'acknowledgement' | 'write' | 'last';

export type Release = () => void;

export interface RateLimiterOptions {
  readonly limits?: WriteLimits;
  /** Concurrent requests; GitHub allows 100 for all users of the installation together. */
  readonly maxInFlight?: number;
  /** A request that has waited longer than this is given up. */
  readonly maxWaitMs?: number;
  readonly clock?: RateLimiterClock;
}

/** The queue was too long. The request was never sent, so it can be made again later. */
export class RateLimitWaitExceeded extends Error {
  override name = 'RateLimitWaitExceeded';
}

/** One for each installation, shared by every client of it. */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  return new Queue(options);
}

interface Waiting {
  readonly since: number;
  readonly go: (release: Release) => void;
  readonly giveUp: (reason: RateLimitWaitExceeded) => void;
}

/** A burst of commands must not keep the pull request from being rendered. */
const maxInARow = 5;

class Queue implements RateLimiter {
  readonly #clock: RateLimiterClock;
  readonly #bucket: TokenBucket;
  readonly #maxInFlight: number;
  readonly #maxWaitMs: number;
  readonly #waiting: Record<Priority, Waiting[]> = {
    ...{ read: [], acknowledgement: [], write: [], last: [] },
  };
  #inFlight = 0;
  #quietUntil = 0;
  #acknowledgedInARow = 0;
  #cancelTimer: () => void = () => undefined;

  constructor({ limits = githubLimits, maxInFlight = 50, maxWaitMs = 300_000, clock }: RateLimiterOptions) {
    this.#clock = clock ?? wallClock;
    this.#bucket = createTokenBucket(limits);
    this.#maxInFlight = maxInFlight;
    this.#maxWaitMs = maxWaitMs;
  }

  enter(priority: Priority): Promise<Release> {
    return new Promise((go, giveUp) => {
      this.#waiting[priority].push({ since: this.#clock.now(), go, giveUp });
      this.#admit();
    });
  }

  get waitingWrites(): number {
    return this.#waiting.acknowledgement.length + this.#waiting.write.length;
  }

  quiet(until: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, until);
  }

  #admit(): void {
    const now = this.#clock.now();
    this.#dropOverdue(now);
    let next = this.#next(now);
    while (next !== undefined) {
      this.#inFlight += 1;
      next.go(this.#release());
      next = this.#next(now);
    }
    this.#wakeLater(now);
  }

  #next(now: number): Waiting | undefined {
    if (this.#inFlight >= this.#maxInFlight || now < this.#quietUntil) return undefined;
    const { read, acknowledgement, write, last } = this.#waiting;
    const reading = read.shift();
    if (reading !== undefined || this.#bucket.wait(now) > 0) return reading;
    const isTurnOfOthers = this.#acknowledgedInARow >= maxInARow && write.length > 0;
    const acknowledging = isTurnOfOthers ? undefined : acknowledgement.shift();
    const writing = acknowledging ?? write.shift() ?? last.shift();
    this.#acknowledgedInARow = acknowledging === undefined ? 0 : this.#acknowledgedInARow + 1;
    if (writing !== undefined) this.#bucket.spend(now);
    return writing;
  }

  #release(): Release {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inFlight -= 1;
      this.#admit();
    };
  }

  /** Each queue is in order of arrival, so overdue requests are in front. */
  #dropOverdue(now: number): void {
    for (const [priority, queue] of Object.entries(this.#waiting)) {
      for (let first = queue[0]; first && now - first.since >= this.#maxWaitMs; first = queue[0]) {
        queue.shift();
        const seconds = Math.round((now - first.since) / 1000);
        first.giveUp(
          new RateLimitWaitExceeded(
            `gave up a request (${priority}) after waiting ${seconds} s for GitHub's rate limit`,
          ),
        );
      }
    }
  }

  /** Requests that wait for a slot are admitted by `release`; those that wait for time, by this one timer. */
  #wakeLater(now: number): void {
    this.#cancelTimer();
    this.#cancelTimer = () => undefined;
    const oldest = Object.values(this.#waiting).flatMap((queue) => queue[0]?.since ?? []);
    if (oldest.length === 0) return;
    const overdue = Math.min(...oldest) + this.#maxWaitMs - now;
    const free = Math.max(this.#quietUntil - now, this.#bucket.wait(now));
    const full = this.#inFlight >= this.#maxInFlight;
    this.#cancelTimer = this.#clock.after(Math.max(1, full ? overdue : Math.min(free, overdue)), () =>
      this.#admit(),
    );
  }
}
