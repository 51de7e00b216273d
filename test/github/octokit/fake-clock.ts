import type { RateLimiterClock } from '../../../src/github/octokit/rate-limiter.ts';

export interface FakeClock extends RateLimiterClock {
  /** Advances the time and runs the timers that are due, in order. */
  pass(ms: number): Promise<void>;
  /** How many timers are set. */
  alarms(): number;
}

export function fakeClock(start = Date.parse('2026-11-21T12:00:00Z')): FakeClock {
  let now = start;
  const alarms = new Set<{ readonly at: number; readonly action: () => void }>();
  return {
    now: () => now,
    after(ms, action) {
      const alarm = { at: now + ms, action };
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
    alarms: () => alarms.size,
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...alarms].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        alarms.delete(next);
        now = next.at;
        next.action();
        await Promise.resolve();
      }
      now = end;
    },
  };
}
