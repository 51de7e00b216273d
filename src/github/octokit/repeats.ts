import { setTimeout } from 'node:timers/promises';
import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';

interface Advice {
  /** How often the request may be repeated in total. */
  readonly times: number;
  /** How long to wait before, in units: seconds, but for tests. */
  readonly wait: number;
  /** The token was refused, and there is a new one, which happens only once for a request. */
  readonly renewed?: boolean;
}

const advice = new WeakMap<RequestError, Advice>();

/** Marks a failure of one attempt as one after which the request can be repeated. Returns it. */
export function repeatable(fault: RequestError, given: Advice): RequestError {
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
        if (given === undefined || retryCount >= given.times) throw fault;
        renewed ||= given.renewed === true;
        await setTimeout(given.wait * unitMs);
      }
    }
  });
}
