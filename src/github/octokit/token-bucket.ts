/** How many writes are allowed, and how fast. The numbers follow GitHub's secondary rate limits. */
export interface WriteLimits {
  /** Writes allowed at once after a quiet period. */
  readonly burst: number;
  readonly perMinute: number;
  readonly perHour: number;
}

export const githubLimits: WriteLimits = { burst: 20, perMinute: 80, perHour: 500 };

/** For a GitHub without write limits, such as an Enterprise Server by default. */
export const unlimited: WriteLimits = { burst: 1_000_000, perMinute: 2_000_000, perHour: 1_000_000 };

export interface TokenBucket {
  /** Milliseconds until the next write is allowed; 0 if it is allowed now. */
  wait(now: number): number;
  /** Counts one write. */
  spend(now: number): void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * A bucket that holds the burst and refills so slowly that burst and refill together never exceed the limit
 * per minute, and a sliding window for the last hour.
 */
export function createTokenBucket(limits: WriteLimits): TokenBucket {
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
    wait(now) {
      refill(now);
      const forToken = tokens >= 1 ? 0 : Math.ceil((1 - tokens) * refillMs);
      const oldest = spent.length >= limits.perHour ? spent[spent.length - limits.perHour] : undefined;
      const forHour = oldest === undefined ? 0 : oldest + hourMs - now;
      return Math.max(forToken, forHour);
    },
    spend(now) {
      refill(now);
      tokens -= 1;
      spent.push(now);
    },
  };
}
