import { RequestError } from '@octokit/request-error';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../../github/octokit/rate-limiter.ts';
import { retryAfterMs, ssoLinkIn } from '../../github/octokit/request-hooks.ts';
import { Ended, exitCodes } from './exit.ts';

/** What a failed request to GitHub means for the person at the terminal; undefined for any other failure. */
export function endOfFault(fault: unknown): Ended | undefined {
  if (!(fault instanceof GitHubFault)) return undefined;
  const { status, reason, doing, cause } = fault;
  const refused = (message: string) => new Ended(exitCodes.refused, `${message} (${doing})`, { cause });
  const until = cause instanceof RequestError ? limitedUntil(cause) : undefined;
  if (until !== undefined)
    return new Ended(exitCodes.unreachable, `GitHub's rate limit is used up until ${until}`);
  if (status === 0 && !(cause instanceof RateLimitWaitExceeded))
    return new Ended(exitCodes.unreachable, `GitHub cannot be reached: ${reason}`);
  if (fault.retriable) return new Ended(exitCodes.unreachable, `GitHub does not answer: ${reason}`);
  const signOn = ssoLinkIn(fault);
  if (signOn !== undefined)
    return refused(`the organization asks for single sign-on: authorize your token at ${signOn}`);
  if (status === 401)
    return refused('GitHub says that your token is expired or revoked: run `gh auth login`');
  if (status === 404) return refused('there is no such repository or run, or your token cannot see it');
  return refused(`GitHub refuses it: ${reason}`);
}

/** Says until when, as `12:30:05 UTC`; undefined if no limit was exceeded. */
function limitedUntil(cause: RequestError): string | undefined {
  const now = Date.now();
  const wait = retryAfterMs(cause, now);
  return wait === undefined ? undefined : `${new Date(now + wait).toISOString().slice(11, 19)} UTC`;
}
