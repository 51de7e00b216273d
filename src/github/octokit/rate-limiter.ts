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

type Release = () => void;

interface RateLimiterOptions {
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
  /** How long GitHub wants us to wait, in milliseconds; absent if that was not the reason. */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** For what somebody waits for right now: GitHub's limits are told instead of waited for. */
export function impatient(): RateLimiter {
  return {
    enter: async () => () => undefined,
    quiet: (until) => {
      throw new RateLimitWaitExceeded('GitHub has asked to wait', Math.max(until - Date.now(), 0));
    },
    waitingWrites: 0,
  };
}

/** Each installation has one, which all of its clients share. */
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
  readonly #bucket: ReturnType<typeof createTokenBucket>;
  readonly #maxInFlight: number;
  readonly #maxWaitMs: number;
  readonly #waiting: Record<Priority, Waiting[]> = { read: [], acknowledgement: [], write: [], last: [] };
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

/** How many writes are allowed, and how fast. The numbers follow GitHub's secondary rate limits. */
export interface WriteLimits {
  /** So many writes are allowed at once after a quiet period. */
  readonly burst: number;
  readonly perMinute: number;
  readonly perHour: number;
}

export const githubLimits: WriteLimits = { burst: 20, perMinute: 80, perHour: 500 };

/** For a GitHub without write limits, such as an Enterprise Server by default. */
export const unlimited: WriteLimits = { burst: 1_000_000, perMinute: 2_000_000, perHour: 1_000_000 };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * A bucket that holds the burst and refills so slowly that burst and refill together never exceed the limit
 * per minute, and a sliding window for the last hour.
 */
function createTokenBucket(limits: WriteLimits) {
  const refillMs = minuteMs / Math.max(limits.perMinute - limits.burst, 1);
  let tokens = limits.burst;
  let counted: number | undefined;
  let spent: number[] = [];

  const refill = (now: number): void => {
    const passed = now - (counted ?? now);
    counted = now;
    tokens = Math.min(limits.burst, tokens + Math.max(passed, 0) / refillMs);
    spent = spent.filter((at) => now - at < hourMs);
  };

  return {
    /** Milliseconds until the next write is allowed; 0 if it is allowed now. */
    wait(now: number): number {
      refill(now);
      const forToken = tokens >= 1 ? 0 : Math.ceil((1 - tokens) * refillMs);
      const oldest = spent.length >= limits.perHour ? spent[spent.length - limits.perHour] : undefined;
      const forHour = oldest === undefined ? 0 : oldest + hourMs - now;
      return Math.max(forToken, forHour);
    },
    /** Counts one write. */
    spend(now: number): void {
      refill(now);
      tokens -= 1;
      spent.push(now);
    },
  };
}

/** Time for the rate limiter; injected, so that tests do not wait. */
export interface RateLimiterClock {
  /** It tells milliseconds since 1970. */
  now(): number;
  /** Calls `action` once, after `ms`; the returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const wallClock: RateLimiterClock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
