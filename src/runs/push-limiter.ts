import { createRateLimiter, type RateLimiter } from '../github/octokit/rate-limiter.ts';
import type { Event } from '../steering/event.ts';

/** GitHub recommends at most 6 pushes per minute and repository; bursts of 60 are allowed after a pause. */
const limits = { burst: 60, perMinute: 66, perHour: 500 };

/** Limits the pushes of all runs of a repository. One per repository. */
export class PushLimiter {
  readonly #pace: RateLimiter = createRateLimiter({ limits });

  /** Commands from people never wait for the limit; events from engines do. */
  async paced<T>(event: Event, record: () => Promise<T>): Promise<T> {
    const leave = await this.#pace.enter(event.type === 'said' ? 'read' : 'write');
    try {
      return await record();
    } finally {
      leave();
    }
  }
}
