import pRetry from 'p-retry';
import { messageOf } from '../repository/faults.ts';
import type { Services } from './services.ts';

export interface RetryOptions {
  /** What is tried, such as `record work_finished of acme/api#7`. */
  readonly doing: string;
  readonly log: Pick<Services['log'], 'warn'>;
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
