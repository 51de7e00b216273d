import { randomBytes } from 'node:crypto';
import { pushRefusalOf } from '../../git/push-refusal.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../../github/octokit/rate-limiter.ts';
import { LedgerBusy, LedgerKeyUnknown } from '../../ledger/errors.ts';

/** The message of an error and its causes, in one line. */
export function messageOf(fault: unknown): string {
  if (isRefusal(fault)) return fault.message;
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause === undefined ? fault.message : `${fault.message}: ${messageOf(fault.cause)}`;
}

/** What is no error but says what went wrong, such as why a push was refused. */
function isRefusal(fault: unknown): fault is { readonly message: string } {
  if (fault instanceof Error || typeof fault !== 'object' || fault === null) return false;
  return 'message' in fault && typeof fault.message === 'string';
}

/** Whether something else is down or missing, so that the same will work later. */
export function isOutage(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  if (fault instanceof GitHubFault) return fault.retriable;
  const outages = [RateLimitWaitExceeded, LedgerBusy, LedgerKeyUnknown];
  if (outages.some((outage) => fault instanceof outage)) return true;
  return pushRefusalOf(fault)?.kind === 'unreachable' || isOutage(fault.cause);
}

/** A reference that finds an internal error in the log. */
export function newReference(): string {
  return randomBytes(4).toString('hex');
}
