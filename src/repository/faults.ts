import { randomBytes } from 'node:crypto';
import pRetry from 'p-retry';
import { pushRefusalOf } from '../git/push-refusal.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../github/octokit/rate-limiter.ts';
import { LedgerBusy, LedgerKeyUnknown } from '../ledger/errors.ts';

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

interface RetryOptions {
  /** What is tried, such as `record work_finished of acme/api#7`. */
  readonly doing: string;
  readonly log: Pick<Log, 'warn'>;
  /** Ends the waiting, not the attempts: after an abort there is one more try at once. */
  readonly signal: AbortSignal;
  /** Before the second try; each further wait is `factor` times as long. */
  readonly firstWaitMs: number;
  readonly factor: number;
}

const retries = 4;

/**
 * Does something that an outage may prevent and retries it a few times; it must be idempotent. Our own bugs
 * (a `TypeError`) are not retried.
 */
export async function retry<T>(act: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { doing, log, signal, firstWaitMs: minTimeout, factor } = options;
  const onFailedAttempt = ({ attemptNumber, error }: { attemptNumber: number; error: Error }) => {
    // p-retry treats an abort as a failure, even if the current try then succeeds.
    if (error === signal.reason) return;
    log.warn(`could not ${doing} (try ${attemptNumber} of ${retries + 1}): ${messageOf(error)}`);
  };
  let newest: Promise<T> | undefined;
  let tries = 0;
  const tryOnce = () => {
    tries += 1;
    newest = act(tries);
    return newest;
  };
  try {
    return await pRetry(tryOnce, { retries, minTimeout, factor, signal, onFailedAttempt });
  } catch (fault) {
    if (!signal.aborted) throw fault;
    return newest === undefined ? tryOnce() : newest.catch(tryOnce);
  }
}
