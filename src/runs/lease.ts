import type { Lease } from '../steering/lease.ts';
import type { State } from '../steering/state.ts';

/** What a hold may last beyond the time limits of everything in it: pushes, checkouts, a slow forge. */
const graceS = 120;

/** The hold that would take what is queued. */
export function newLease(state: State, holder: string, now: Date): Lease {
  const { standing, iteration, attempt } = state;
  const isAttempt = standing.phase === 'queued' && standing.work === 'attempt';
  const until = new Date(now.getTime() + longest(state, isAttempt) * 1000).toISOString();
  return { iteration, attempt: isAttempt ? attempt + 1 : attempt, holder, until };
}

/**
 * The time limits of what a job does, in seconds: one for the agent's part, one for set-up, each verifier's.
 */
function longest({ settings }: State, withAgent: boolean): number {
  const verifiers = settings.verifiers.reduce((total, { timeout_s }) => total + timeout_s, 0);
  const part = settings.limits.minutes * 60;
  return graceS + verifiers + part + (withAgent ? part : 0);
}
