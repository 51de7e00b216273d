import { setTimeout } from 'node:timers/promises';
import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';
import { GitHubFault, MissingPermission } from './fault.ts';
import {
  type Priority,
  type RateLimiter,
  type RateLimiterClock,
  RateLimitWaitExceeded,
} from './rate-limiter.ts';

/** The requests sent to GitHub so far, including retries and sign-ins. */
interface Requests {
  readonly total: number;
  readonly writes: number;
  /** By `METHOD /path/{template}`, or by GraphQL operation. */
  readonly by_route: Readonly<Record<string, number>>;
}

interface RequestHookOptions {
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
  set(asked, { signal });
  const response = await request(asked);
  const isCut = typeof response.data === 'string' && isJson(response);
  if (!signal.aborted && !isCut) {
    if (isGraphql(asked)) refuseFailure(response, asked);
    return response;
  }
  const when = signal.aborted ? ` within ${timeoutMs} ms` : '';
  throw new RequestError(`the answer was not complete${when}`, 500, { request: asked });
}

/**
 * Hooks of Octokit get the options that the first of them got, whatever the one before them hands on: only
 * what is set on these reaches the others and the request. What is below `request` is a copy, for the client
 * gives the same one to all of its requests.
 */
function set(asked: RequestOptions, more: Readonly<Record<string, unknown>>): void {
  asked.request = { ...asked.request, ...more };
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
    const { signal } = asked.request;
    let renewed = false;
    for (let retryCount = 0; ; retryCount++) {
      try {
        // Each attempt has a time of its own.
        set(asked, { retryCount, renewed, signal });
        return await request(asked);
      } catch (fault) {
        const given = fault instanceof RequestError ? advice.get(fault) : undefined;
        if (given === undefined || retryCount >= maxRetries) throw fault;
        renewed ||= given.renewed === true;
        await setTimeout(given.wait * unitMs);
      }
    }
  });
}

/** A request as Octokit's hooks see it: the path is still a template, and GraphQL has its query. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly query?: unknown;
  /** Of a check run. */
  readonly output?: unknown;
  readonly request?: Readonly<Record<string, unknown>>;
}

/** For a request that is an answer to someone without write access, as one of its parameters. */
export const lastOfAll = { request: { comesLast: true } } as const;

/** The full options. Octokit's own type, EndpointDefaults, is in a package we do not depend on. */
type RequestOptions = Required<Octokit['request']['endpoint']['DEFAULTS']>;

/** Names a request in counts and errors: `GET /repos/{owner}/{repo}` or `mutation addComment`. */
function routeOf(asked: Asked): string {
  if (isGraphql(asked)) return operationOf(asked);
  const path = asked.url.replace(/^https?:\/\/[^/]+(\/api\/v3)?/, '').replace(/\?.*$/s, '');
  return `${asked.method} ${path.replace(/\/\d+(?=\/|$)/g, '/{n}')}`;
}

function priorityOf(asked: Asked): Priority {
  if (isGraphql(asked)) return operationOf(asked).startsWith('mutation') ? 'write' : 'read';
  if (asked.method === 'GET' || asked.method === 'HEAD') return 'read';
  if (asked.request?.['comesLast'] === true) return 'last';
  return /\/reactions(\/|$)/.test(asked.url) ? 'acknowledgement' : 'write';
}

/**
 * Whether a request is idempotent. After a lost answer, a comment, pull request or check run may exist, and
 * annotations may have been appended; those are looked up by their caller rather than sent again.
 */
function isRepeatable(asked: Asked): boolean {
  if (typeof asked.output === 'object' && asked.output !== null && 'annotations' in asked.output)
    return false;
  if (asked.method !== 'POST' || isGraphql(asked)) return true;
  return /\/(reactions|labels|access_tokens)$/.test(asked.url);
}

/** The App's own sign-in, which requests need that already hold a slot. */
function isSignIn({ url }: Asked): boolean {
  return url.endsWith('/access_tokens');
}

export function isGraphql({ url }: Asked): boolean {
  return url.endsWith('/graphql');
}

function operationOf({ query }: Asked): string {
  const found = /(query|mutation)?[^{]*\{\s*(\w+)/.exec(typeof query === 'string' ? query : '');
  return `${found?.[1] ?? 'query'} ${found?.[2] ?? 'unnamed'}`;
}

/** Turns every failure into a `GitHubFault` that names the request and says whether it can be retried. */
export function explainFaults(octokit: Octokit): void {
  octokit.hook.wrap('request', async (request, asked) => {
    const doing = () => (isGraphql(asked) ? `GraphQL ${routeOf(asked)}` : addressOf(octokit, asked));
    try {
      const response = await request(asked);
      if (isGraphql(asked)) refuseErrors(response.data, doing);
      return response;
    } catch (cause) {
      throw explained(cause, doing);
    }
  });
}

/** `GET /repos/acme/api/pulls?head=acme:main` */
function addressOf(octokit: Octokit, asked: RequestOptions): string {
  const { method, url } = octokit.request.endpoint({ ...asked, request: {} });
  const { pathname, search } = new URL(url, 'http://localhost');
  return `${method} ${pathname.replace(/^\/api\/v3/, '')}${search}`.slice(0, 300);
}

function explained(cause: unknown, doing: () => string): unknown {
  if (cause instanceof RateLimitWaitExceeded) {
    return new GitHubFault({ doing: doing(), status: 0, retriable: true, reason: cause.message }, { cause });
  }
  if (!(cause instanceof RequestError)) return cause;
  const reason = wordsOf(cause);
  if (cause.status === 403 && /resource not accessible by/i.test(reason)) {
    const accepted = cause.response?.headers['x-accepted-github-permissions'];
    const permission = toWrite(String(accepted ?? ''));
    return new MissingPermission({ doing: doing(), permission, reason }, { cause });
  }
  if (cause.status === 403 && /must authenticate via a github app/i.test(reason))
    return new MissingPermission({ doing: doing(), permission: '', reason, remedy: tokenOfApp }, { cause });
  // Not the status of the answer: that of GraphQL is 200 even if GitHub failed.
  const status = cause.response === undefined ? 0 : cause.status;
  const retriable = status === 0 || status >= 500 || retryAfterMs(cause, 0) !== undefined;
  const { date } = cause.response?.headers ?? {};
  return new GitHubFault({ doing: doing(), status, retriable, reason, date }, { cause });
}

const tokenOfApp =
  'needs the token of an App or of a workflow: GitHub does not accept a personal token for it';

/** GitHub names what this one request needs. We also write there, so we ask for both at once. */
function toWrite(permission: string): string {
  return permission.replaceAll(/\b(checks|contents|issues|pull_requests)=read\b/g, '$1=write');
}

/**
 * An error as GitHub documents it. Only GraphQL has types, but none where the schema does not allow a query.
 */
interface GitHubError {
  readonly message?: string;
  readonly type?: string;
  readonly resource?: string;
  readonly field?: string;
  readonly code?: string;
  readonly errors?: readonly (GitHubError | string)[];
}

function wordsOf({ response, message }: RequestError): string {
  const data = response?.data;
  if (typeof data !== 'object' || data === null) return message;
  const { message: reason = message, errors = [] } = data as GitHubError; // GitHub's documented error body
  const details = Array.isArray(errors) ? errors.map(detailOf) : [];
  return [reason, ...details].join('; ');
}

function detailOf(error: GitHubError | string): string {
  if (typeof error === 'string') return error;
  return error.message ?? [error.resource, error.field, error.code].filter(Boolean).join(' ');
}

/**
 * How long GitHub wants us to wait after exceeding a rate limit, in milliseconds; undefined for other errors.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function retryAfterMs({ status, response }: RequestError, now: number): number | undefined {
  if (response === undefined || (status !== 403 && status !== 429)) return undefined;
  const after = Number(response.headers['retry-after']);
  if (after > 0) return after * 1000;
  if (response.headers['x-ratelimit-remaining'] === '0') {
    const theirs = Date.parse(response.headers.date ?? '') || now;
    return Math.max(Number(response.headers['x-ratelimit-reset']) * 1000 - theirs, 0) + 1000;
  }
  const secondary = status === 429 || /secondary rate limit/i.test(JSON.stringify(response.data));
  return secondary ? 60_000 : undefined;
}

/** Where somebody lets an organization's single sign-on admit a token that was refused for want of it. */
export function ssoLinkIn({ cause }: GitHubFault): string | undefined {
  const header = cause instanceof RequestError ? cause.response?.headers['x-github-sso'] : undefined;
  return /url=(https?:\/\/[^\s;,]+)/.exec(String(header ?? ''))?.[1];
}

/** GraphQL answers 200 even for errors. */
function refuseErrors(answer: unknown, doing: () => string): void {
  const errors = errorsIn(answer);
  if (errors.length === 0) return;
  const reason = errors.map(detailOf).join('; ');
  if (/resource not accessible by/i.test(reason)) {
    throw new MissingPermission({ doing: doing(), permission: '', reason });
  }
  throw new GitHubFault({ doing: doing(), status: 200, retriable: isPassing(answer), reason });
}

/** What is refused for good. GitHub lists no types, so these are those it is known to answer with. */
const permanentTypes = new Set([
  'EXCESSIVE_PAGINATION',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPES',
  'MAX_NODE_LIMIT_EXCEEDED',
  'MISSING_PAGINATION_BOUNDARIES',
  'NOT_FOUND',
  'SAML_FAILURE',
  'STALE_DATA',
  'UNPROCESSABLE',
]);

/** Whether GitHub only failed to answer, as after a timeout of its own, or was asked too often. */
function isPassing(answer: unknown): boolean {
  return errorsIn(answer).some(({ type, message = '' }) => {
    if (type !== undefined) return !permanentTypes.has(type);
    // A question that GitHub does not understand, such as one about a field it does not have, has no data.
    return hasData(answer) || /something went wrong|tim(?:ed? ?out)/i.test(message);
  });
}

/** Turns an answer that only says that GitHub failed into the server error that it is. */
function refuseFailure(response: Answer, request: RequestError['request']): void {
  const isLimit = errorsIn(response.data).some(({ type }) => type === 'RATE_LIMITED');
  if (isLimit || !isPassing(response.data)) return;
  const reason = errorsIn(response.data)
    .map(({ message }) => message)
    .join('; ');
  throw new RequestError(reason, 502, { request, response });
}

function errorsIn(answer: unknown): readonly GitHubError[] {
  if (typeof answer !== 'object' || answer === null || !('errors' in answer)) return [];
  // GitHub's documented form; anything else is no error of GraphQL.
  return Array.isArray(answer.errors) ? (answer.errors as readonly GitHubError[]) : [];
}

function hasData(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'data' in answer;
}
