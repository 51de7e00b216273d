/** Time for the rate limiter; injected, so that tests do not wait. */
export interface RateLimiterClock {
  /** Milliseconds since 1970. */
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
