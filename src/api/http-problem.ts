import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { GitHubFault } from '../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../github/octokit/rate-limiter.ts';
import { ssoLinkIn } from '../github/octokit/request-hooks.ts';
import { isOfLedger } from '../ledger/errors.ts';
import { isOutage } from '../repository/faults.ts';

/** What is answered when a request fails, whatever the reason (RFC 9457). */
export const problemShape = z
  .object({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: 'The name of the status', example: 'Conflict' }),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong, where, and what is expected; for people' }),
    instance: z.string().meta({ description: 'The path of the request' }),
  })
  .meta({ id: 'Problem' });

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

export const problemType = 'application/problem+json';

/** Answers a request with the document of a problem. */
export function problemAnswer(c: Context, { status, message: detail, headers }: Problem): Response {
  const document = { type: 'about:blank', title: titles[status], status, detail, instance: c.req.path };
  return c.body(JSON.stringify(document), status, { ...headers, 'content-type': problemType });
}

/** When to ask again what failed because something else was down, in seconds. */
const retryAfter = '5';

/**
 * What a fault means for whoever sent the request. Nothing of it is passed on but what GitHub says to its
 * user: a message of ours may name folders, and a request of ours what only the App may see.
 */
export function problemFrom(fault: unknown): Problem {
  if (fault instanceof Problem) return fault;
  if (fault instanceof HTTPException) return problemOfRequest(fault);
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

/** Explains why Hono's own checks refuse a body. */
function problemOfRequest({ status }: HTTPException): Problem {
  if (status === 415)
    return new Problem(415, 'The body has another type: send JSON, as `Content-Type: application/json`.');
  return new Problem(400, 'The body is not JSON: send one object, such as `{"prompt": "Rename it"}`.');
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
      'GitHub limits how often this token may ask: wait as long as `Retry-After` says.',
      later(seconds),
    );
  }
  if (status === 401)
    return unauthorized('GitHub does not accept this token: it is wrong, expired or revoked.');
  if (status === 403) return new Problem(403, `GitHub does not let this token do that: ${reason}`);
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

/** Refuses what does not fit its description; a path that cannot be one of a run is one where none is. */
export function refuseInvalid(status: 400 | 422 = 400) {
  return (result: Validated): undefined => {
    if (result.success) return undefined;
    if (result.target === 'param') throw notFound();
    const where = result.target === 'json' ? 'body' : result.target;
    const texts = result.error.issues.map(({ path, message }) => `${[where, ...path].join('.')}: ${message}`);
    throw new Problem(status, `Nothing was done, because this is wrong: ${texts.join('; ')}.`);
  };
}

type Validated = { readonly target: string } & (
  | { readonly success: true }
  | { readonly success: false; readonly error: Pick<z.ZodError, 'issues'> }
);
