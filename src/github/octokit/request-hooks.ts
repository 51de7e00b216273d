import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';
import type { Clock } from './clock.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Asked, isRepeatable, isSignIn, priorityOf, type RequestOptions, routeOf } from './route.ts';

/** What was sent to GitHub so far, retries and sign-ins included. */
export interface Requests {
  readonly total: number;
  readonly writes: number;
  /** By `METHOD /path/{template}`, or by GraphQL operation. */
  readonly by_route: Readonly<Record<string, number>>;
}

export interface RequestHookOptions {
  readonly pace: RateLimiter;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Quiet wanted for longer than this is not waited for: the request fails and can be made later. */
const mostQuietMs = 60_000;
const mostRetries = 2;

/**
 * Goes round each single attempt at a request: waits for its turn, counts it, ends it in time,
 * and tells the retry plugin (which stands outside of this) what to do about a failure.
 */
export function installRequestHooks(octokit: Hooked, traffic: RequestHookOptions): Watched {
  const requests: Counts = { total: 0, writes: 0, by_route: {} };
  octokit.hook.wrap('request', async (request, asked) => {
    const leave = isSignIn(asked) ? () => undefined : await traffic.pace.enter(priorityOf(asked));
    try {
      count(requests, asked);
      return await inTime({ request, asked, timeoutMs: traffic.timeoutMs });
    } catch (fault) {
      throw fault instanceof RequestError ? advise(octokit, { fault, asked, traffic }) : fault;
    } finally {
      leave();
    }
  });
  return { requests, waitingWrites: () => traffic.pace.waitingWrites };
}

export interface Watched {
  readonly requests: Requests;
  /** How many writes of all that share the rate limiter wait for their turn. */
  waitingWrites(): number;
}

/** What is used of a client; `retry` comes with the retry plugin and is there before any request is. */
interface Hooked {
  readonly hook: Octokit['hook'];
  readonly retry?: { retryRequest(error: RequestError, retries: number, retryAfter: number): RequestError };
}

interface Counts {
  total: number;
  writes: number;
  readonly by_route: Record<string, number>;
}

function count(requests: Counts, asked: Asked): void {
  const route = routeOf(asked);
  requests.total += 1;
  if (priorityOf(asked) !== 'read') requests.writes += 1;
  requests.by_route[route] = (requests.by_route[route] ?? 0) + 1;
}

interface Attempt {
  readonly request: (asked: RequestOptions) => Promise<Answer> | Answer;
  readonly asked: RequestOptions;
  readonly timeoutMs: number;
}

type Answer = Awaited<ReturnType<Octokit['request']>>;

/** Octokit turns an answer that breaks off into an empty one, so the clock is looked at afterwards too. */
async function inTime({ request, asked, timeoutMs }: Attempt): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  const given = asked.request.signal;
  const signal = given instanceof AbortSignal ? AbortSignal.any([late, given]) : late;
  const options = { ...asked, request: { ...asked.request, signal } };
  const response = await request(options);
  if (!signal.aborted) return response;
  throw new RequestError(`the answer did not end within ${timeoutMs} ms`, 500, { request: options });
}

interface Failure {
  readonly fault: RequestError;
  readonly asked: Asked;
  readonly traffic: RequestHookOptions;
}

/** Quiet is kept by the pace, for every request; a server's fault is retried after 1 and 4 seconds. */
function advise({ retry }: Hooked, { fault, asked, traffic }: Failure): RequestError {
  const now = traffic.clock.now();
  const quietMs = retryAfterMs(fault, now);
  if (quietMs !== undefined) {
    traffic.pace.quiet(now + quietMs);
    return quietMs <= mostQuietMs ? (retry?.retryRequest(fault, mostRetries, 0) ?? fault) : fault;
  }
  if (fault.status < 500 || !isRepeatable(asked)) return fault;
  const tried = Number(fault.request.request?.['retryCount'] ?? 0);
  return retry?.retryRequest(fault, mostRetries, (tried + 1) ** 2) ?? fault;
}
