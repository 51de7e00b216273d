import { setTimeout } from 'node:timers/promises';
import { RequestError } from '@octokit/request-error';
import type { Octokit } from '@octokit/rest';

interface Advice {
  /** How often the request may be repeated in total. */
  readonly times: number;
  /** How long to wait before, in units: seconds, but for tests. */
  readonly wait: number;
}

const advice = new WeakMap<RequestError, Advice>();

/** Marks a failure of one attempt as one after which the request can be repeated. Returns it. */
export function repeatable(fault: RequestError, given: Advice): RequestError {
  advice.set(fault, given);
  return fault;
}

/** Repeats requests whose failure is marked. To be installed after what wraps each single attempt. */
export function installRepeats(octokit: Pick<Octokit, 'hook'>, unitMs: number): void {
  octokit.hook.wrap('request', async (request, asked) => {
    for (let repeated = 0; ; repeated++) {
      try {
        return await request(asked);
      } catch (fault) {
        const given = fault instanceof RequestError ? advice.get(fault) : undefined;
        if (given === undefined || repeated >= given.times) throw fault;
        asked.request.retryCount = repeated + 1;
        await setTimeout(given.wait * unitMs);
      }
    }
  });
}
