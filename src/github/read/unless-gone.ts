import { setTimeout } from 'node:timers/promises';
import { GitHubFault } from '../octokit/fault.ts';

/** GitHub may not find for a while what was only just written. */
const settledAfterMs = 60_000;

/** The waits before asking again for it, in milliseconds. */
const waitsMs = [250, 500, 1000];

/** What was written at a time (ISO 8601); undefined if GitHub no longer has it, and not only not yet. */
export async function unlessGone<T>(
  ask: () => Promise<T>,
  at: string,
  waits: readonly number[] = waitsMs,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    const [wait, ...further] = waits;
    if (wait === undefined || !isYoung(at, fault)) return undefined;
    await setTimeout(wait);
    return unlessGone(ask, at, further);
  }
}

/** By GitHub's clock, if its answer has a time. */
function isYoung(at: string, { date }: GitHubFault): boolean {
  return date !== undefined && Date.parse(date) - Date.parse(at) < settledAfterMs;
}
