import { type Clock, wallClock } from './clock.ts';
import { createTokenBucket, githubLimits, type TokenBucket, type WriteLimits } from './token-bucket.ts';

/** Lets the requests of one installation go no faster than GitHub takes them. */
export interface RateLimiter {
  /** Resolves when the request may go. Call what it gives when the answer is there. */
  enter(urgency: Priority): Promise<Leave>;
  /** GitHub asked for quiet: nothing goes before `until` (milliseconds since 1970). */
  quiet(until: number): void;
  /** How many writes wait for their turn. */
  readonly waitingWrites: number;
}

/** Reads wait for a place only; writes for their turn too, acknowledgements before most others. */
export type Priority = 'read' | 'acknowledgement' | 'write';

export type Leave = () => void;

export interface RateLimiterOptions {
  readonly limits?: WriteLimits;
  /** Requests under way at the same time; GitHub allows 100 for all that use the installation. */
  readonly mostInFlight?: number;
  /** After this long in the queue a request is given up. */
  readonly mostWaitMs?: number;
  readonly clock?: Clock;
}

/** The queue was too long: GitHub was never asked, so the request can be made again later. */
export class RateLimitWaitExceeded extends Error {
  override name = 'PaceExceeded';
}

/** One for each installation, shared by every client of it. */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  return new Queue(options);
}

interface Waiting {
  readonly since: number;
  readonly go: (leave: Leave) => void;
  readonly giveUp: (reason: RateLimitWaitExceeded) => void;
}

/** A burst of commands must not keep the pull request from being drawn. */
const mostInARow = 5;

class Queue implements RateLimiter {
  readonly #clock: Clock;
  readonly #allowance: TokenBucket;
  readonly #mostInFlight: number;
  readonly #mostWaitMs: number;
  readonly #waiting: Record<Priority, Waiting[]> = { read: [], acknowledgement: [], write: [] };
  #inFlight = 0;
  #quietUntil = 0;
  #acknowledgedInARow = 0;
  #callOff: () => void = () => undefined;

  constructor({ limits = githubLimits, mostInFlight = 50, mostWaitMs = 300_000, clock }: RateLimiterOptions) {
    this.#clock = clock ?? wallClock;
    this.#allowance = createTokenBucket(limits);
    this.#mostInFlight = mostInFlight;
    this.#mostWaitMs = mostWaitMs;
  }

  enter(urgency: Priority): Promise<Leave> {
    return new Promise((go, giveUp) => {
      this.#waiting[urgency].push({ since: this.#clock.now(), go, giveUp });
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
      next.go(this.#leave());
      next = this.#next(now);
    }
    this.#wakeLater(now);
  }

  #next(now: number): Waiting | undefined {
    if (this.#inFlight >= this.#mostInFlight || now < this.#quietUntil) return undefined;
    const { read, acknowledgement, write } = this.#waiting;
    const reading = read.shift();
    if (reading !== undefined || this.#allowance.wait(now) > 0) return reading;
    const isTurnOfOthers = this.#acknowledgedInARow >= mostInARow && write.length > 0;
    const acknowledging = isTurnOfOthers ? undefined : acknowledgement.shift();
    const writing = acknowledging ?? write.shift();
    this.#acknowledgedInARow = acknowledging === undefined ? 0 : this.#acknowledgedInARow + 1;
    if (writing !== undefined) this.#allowance.spend(now);
    return writing;
  }

  #leave(): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inFlight -= 1;
      this.#admit();
    };
  }

  /** Each lane is in order of arrival, so whoever is overdue stands in front. */
  #dropOverdue(now: number): void {
    for (const [urgency, lane] of Object.entries(this.#waiting)) {
      for (let first = lane[0]; first && now - first.since >= this.#mostWaitMs; first = lane[0]) {
        lane.shift();
        const seconds = Math.round((now - first.since) / 1000);
        first.giveUp(
          new RateLimitWaitExceeded(
            `a ${urgency} waited ${seconds} s for its turn at GitHub and was given up`,
          ),
        );
      }
    }
  }

  /** Who waits for a place is let in by `leave`; who waits for time to pass, by the one alarm. */
  #wakeLater(now: number): void {
    this.#callOff();
    this.#callOff = () => undefined;
    const oldest = Object.values(this.#waiting).flatMap((lane) => lane[0]?.since ?? []);
    if (oldest.length === 0) return;
    const overdue = Math.min(...oldest) + this.#mostWaitMs - now;
    const free = Math.max(this.#quietUntil - now, this.#allowance.wait(now));
    const full = this.#inFlight >= this.#mostInFlight;
    this.#callOff = this.#clock.after(Math.max(1, full ? overdue : Math.min(free, overdue)), () =>
      this.#admit(),
    );
  }
}
