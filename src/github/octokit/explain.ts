import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';
import { GitHubFault, MissingPermission } from './fault.ts';
import { RateLimitWaitExceeded } from './rate-limiter.ts';
import { isGraphql, type RequestOptions, routeOf } from './route.ts';

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

/** GraphQL answers 200 even for errors. */
function refuseErrors(data: GitHubError, doing: () => string): void {
  const errors = data.errors ?? [];
  if (errors.length === 0) return;
  const reason = errors.map(detailOf).join('; ');
  if (/resource not accessible by/i.test(reason)) {
    throw new MissingPermission({ doing: doing(), permission: '', reason });
  }
  throw new GitHubFault({ doing: doing(), status: 200, retriable: isPassing(data), reason });
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

/** GraphQL answers 200 even for errors; these are the ones that the same question may not meet again. */

/** An error in an answer; those of queries that the schema does not allow have no type. */
interface GraphqlError {
  readonly message?: string;
  readonly type?: string;
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
export function refuseFailure(response: Answer, request: RequestError['request']): void {
  const isLimit = errorsIn(response.data).some(({ type }) => type === 'RATE_LIMITED');
  if (isLimit || !isPassing(response.data)) return;
  const reason = errorsIn(response.data)
    .map(({ message }) => message)
    .join('; ');
  throw new RequestError(reason, 502, { request, response });
}

type Answer = Awaited<ReturnType<Octokit['request']>>;

function errorsIn(answer: unknown): readonly GraphqlError[] {
  if (typeof answer !== 'object' || answer === null || !('errors' in answer)) return [];
  // GitHub's documented form; anything else is no error of GraphQL.
  return Array.isArray(answer.errors) ? (answer.errors as readonly GraphqlError[]) : [];
}

function hasData(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'data' in answer;
}
