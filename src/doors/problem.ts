import { GitHubFault } from '../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../github/octokit/rate-limiter.ts';
import { ssoLinkIn } from '../github/octokit/request-hooks.ts';
import { isOfLedger } from '../ledger/errors.ts';
import { isOutage } from '../repository/faults.ts';

/** A request cannot be done, which is answered with this status and a sentence for whoever sent it. */
export class Problem extends Error {
  override name = 'Problem';
  readonly status: ProblemStatus;
  readonly headers: Readonly<Record<string, string>>;
  /** Where people lift what is in the way, if there is such a page. */
  readonly link: string | undefined;

  constructor(status: ProblemStatus, detail: string, headers: Problem['headers'] = {}, link?: string) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.link = link;
  }
}

export type ProblemStatus = keyof typeof titles;

export const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const;

/** When to ask again what failed because something else was down, in seconds. */
const retryAfter = '5';

/**
 * What a fault means for whoever sent the request. Nothing of it is passed on but what GitHub says to its
 * user: a message of ours may name folders, and a request of ours what only the App may see.
 */
export function problemFrom(fault: unknown): Problem {
  if (fault instanceof Problem) return fault;
  if (fault instanceof GitHubFault) return problemOfGitHub(fault);
  if (isOfLedger(fault))
    return new Problem(
      503,
      'The ledger of this run cannot be believed, or read by this App: nothing can be told.',
    );
  if (isOutage(fault))
    return new Problem(503, 'This could not be read just now: ask again in a moment.', later(retryAfter));
  return new Problem(500, 'Coxswain failed at this request, and its log says why.');
}

function problemOfGitHub(fault: GitHubFault): Problem {
  const { status, reason } = fault;
  const sso = ssoLinkIn(fault);
  if (sso !== undefined)
    return new Problem(403, `The organization asks for its single sign-on first: open ${sso}`, {}, sso);
  if (fault.cause instanceof RateLimitWaitExceeded) {
    const seconds = Math.ceil((fault.cause.waitMs ?? 1000) / 1000);
    return new Problem(
      429,
      `GitHub limits how often you may ask: ask again in ${seconds} seconds.`,
      later(seconds),
    );
  }
  if (status === 401)
    return unauthorized('GitHub does not accept this token: it is wrong, expired or revoked.');
  if (status === 403) return new Problem(403, `GitHub does not let you do that: ${reason}`);
  if (status === 404 || status === 410) return notFound();
  if (status === 422) return new Problem(422, `GitHub did not accept it: ${reason}`);
  if (status === 0)
    return new Problem(503, 'GitHub cannot be reached just now: ask again in a moment.', later(retryAfter));
  return new Problem(502, `GitHub failed with ${status}: ask again in a moment.`, later(retryAfter));
}

/** A token is missing, or is none that GitHub accepts. */
export function unauthorized(detail: string): Problem {
  return new Problem(401, detail, { 'www-authenticate': 'Bearer realm="Coxswain"' });
}

/** It has the same words whether it is private, unknown, without a run, or the App is not installed there. */
export function notFound(): Problem {
  return new Problem(
    404,
    'There is no such repository or run, or this token may not read it: expected the number of a pull request with a run, ' +
      'in a repository where Coxswain is installed.',
  );
}

/** The header that says when to ask again. */
export function later(seconds: number | string): Problem['headers'] {
  return { 'retry-after': String(seconds) };
}
