import { createRateLimiter, type RateLimiter } from '../github/octokit/rate-limiter.ts';
import type { Event } from '../steering/event.ts';

/**
 * GitHub recommends at most 6 pushes a minute for each repository; sixty may come at once after some peace.
 */
const limits = { burst: 60, perMinute: 66, perHour: 500 };

/** Lets what a repository's runs write down go no faster than GitHub likes it. One for each repository. */
export class PushLimiter {
  readonly #pace: RateLimiter = createRateLimiter({ limits });

  /** Human words never wait for their turn; what engines tell does. */
  async paced<T>(event: Event, record: () => Promise<T>): Promise<T> {
    const leave = await this.#pace.enter(event.type === 'said' ? 'read' : 'write');
    try {
      return await record();
    } finally {
      leave();
    }
  }
}
