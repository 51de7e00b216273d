import { setTimeout } from 'node:timers/promises';
import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';
import { refuseFailure, retryAfterMs } from './explain.ts';
import type { RateLimiter, RateLimiterClock } from './rate-limiter.ts';
import {
  type Asked,
  isGraphql,
  isRepeatable,
  isSignIn,
  priorityOf,
  type RequestOptions,
  routeOf,
} from './route.ts';

/** The requests sent to GitHub so far, including retries and sign-ins. */
export interface Requests {
  readonly total: number;
  readonly writes: number;
  /** By `METHOD /path/{template}`, or by GraphQL operation. */
  readonly by_route: Readonly<Record<string, number>>;
}

export interface RequestHookOptions {
  readonly pace: RateLimiter;
  readonly clock: RateLimiterClock;
  readonly timeoutMs: number;
  /** Gets a new token, where that is possible, because GitHub has refused the last one. */
  readonly renewToken?: (() => Promise<unknown>) | undefined;
}

/** If GitHub asks us to wait longer than this, the request fails and can be made again later. */
const maxQuietMs = 60_000;

/** How often a request may be repeated in total. */
const maxRetries = 2;

/**
 * Wraps each single attempt at a request: waits for the rate limit, counts it, enforces the timeout, and
 * marks the failures after which it can be repeated.
 */
export function installRequestHooks(octokit: Pick<Octokit, 'hook'>, traffic: RequestHookOptions): Watched {
  const requests: Counts = { total: 0, writes: 0, by_route: {} };
  octokit.hook.wrap('request', async (request, asked) => {
    const release = isSignIn(asked) ? () => undefined : await traffic.pace.enter(priorityOf(asked));
    try {
      count(requests, asked);
      return await inTime(request, asked, traffic.timeoutMs);
    } catch (fault) {
      if (!(fault instanceof RequestError)) throw fault;
      const renewed = await renewIfRefused(fault, asked, traffic);
      if (renewed) throw repeatable(fault, { wait: 0, renewed });
      throw advise(fault, asked, traffic);
    } finally {
      release();
    }
  });
  return { requests, waitingWrites: () => traffic.pace.waitingWrites };
}

export interface Watched {
  readonly requests: Requests;
  /** How many writes are waiting, over all clients that share the rate limiter. */
  waitingWrites(): number;
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

type Answer = Awaited<ReturnType<Octokit['request']>>;

/**
 * Octokit turns an aborted answer into an empty one, and gives back JSON that was cut off as text, so both
 * are checked again afterwards: a list without its end must not pass for a short one.
 */
async function inTime(
  request: (asked: RequestOptions) => Promise<Answer> | Answer,
  asked: RequestOptions,
  timeoutMs: number,
): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  const given = asked.request.signal;
  const signal = given instanceof AbortSignal ? AbortSignal.any([late, given]) : late;
  const options = { ...asked, request: { ...asked.request, signal } };
  const response = await request(options);
  const isCut = typeof response.data === 'string' && isJson(response);
  if (!signal.aborted && !isCut) {
    if (isGraphql(asked)) refuseFailure(response, options);
    return response;
  }
  const when = signal.aborted ? ` within ${timeoutMs} ms` : '';
  throw new RequestError(`the answer was not complete${when}`, 500, { request: options });
}

function isJson({ headers, status }: Answer): boolean {
  return status !== 204 && /^application\/json\b/.test(headers['content-type'] ?? '');
}

/** Whether there is a new token after GitHub has refused one; a request is repeated for that only once. */
async function renewIfRefused(
  fault: RequestError,
  asked: Asked,
  { renewToken }: RequestHookOptions,
): Promise<boolean> {
  if (fault.status !== 401 || renewToken === undefined || isSignIn(asked)) return false;
  if (asked.request?.['renewed'] === true) return false;
  return renewToken().then(
    () => true,
    () => false, // such as a suspended installation: the refusal itself says enough
  );
}

/** The rate limiter delays all requests if GitHub asks for it; server errors are retried after 1 and 4 s. */
function advise(fault: RequestError, asked: Asked, traffic: RequestHookOptions): RequestError {
  const now = traffic.clock.now();
  const quietMs = retryAfterMs(fault, now);
  if (quietMs !== undefined) {
    traffic.pace.quiet(now + quietMs);
    return quietMs <= maxQuietMs ? repeatable(fault, { wait: 0 }) : fault;
  }
  if (fault.status < 500 || !isRepeatable(asked)) return fault;
  const tried = Number(asked.request?.['retryCount'] ?? 0);
  return repeatable(fault, { wait: (tried + 1) ** 2 });
}

interface Advice {
  /** How long to wait before, in units: seconds, but for tests. */
  readonly wait: number;
  /** The token was refused, and there is a new one, which happens only once for a request. */
  readonly renewed?: boolean;
}

const advice = new WeakMap<RequestError, Advice>();

/** Marks a failure of one attempt as one after which the request can be repeated. Returns it. */
function repeatable(fault: RequestError, given: Advice): RequestError {
  advice.set(fault, given);
  return fault;
}

/**
 * Repeats requests whose failure is marked. To be installed after what wraps each single attempt, which finds
 * in `request.retryCount` how often it was tried before, and in `request.renewed` whether its token is new.
 */
export function installRepeats(octokit: Pick<Octokit, 'hook'>, unitMs: number): void {
  octokit.hook.wrap('request', async (request, asked) => {
    let renewed = false;
    for (let retryCount = 0; ; retryCount++) {
      try {
        // Always a copy: Octokit gives the same object to all requests of a client.
        return await request({ ...asked, request: { ...asked.request, retryCount, renewed } });
      } catch (fault) {
        const given = fault instanceof RequestError ? advice.get(fault) : undefined;
        if (given === undefined || retryCount >= maxRetries) throw fault;
        renewed ||= given.renewed === true;
        await setTimeout(given.wait * unitMs);
      }
    }
  });
}
