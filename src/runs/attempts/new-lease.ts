import { stageOf } from '../../steering/iterations/attempt-stages.ts';
import { attemptDue } from '../../steering/iterations/iteration.ts';
import { maxAsks, usualPermissions } from '../../steering/permission/permitted-calls.ts';
import { longestTrialsS } from '../../steering/shapes/proof.ts';
import { questionLimits } from '../../steering/shapes/question.ts';
import type { Job, Lease } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';

/** Extra time for pushes, checkouts and a slow GitHub, on top of all time limits of the work. */
const graceS = 120;

/** How long an agent is held at most until somebody answers its question: Codex does not wait for 30 s. */
export const longestHoldMs = 25_000;

/** Who takes the work. */
interface Holder {
  readonly holder: string;
  readonly job?: Job | undefined;
}

/** A lease for the queued work. */
export function newLease(state: State, { holder, job }: Holder, now: Date): Lease {
  const { standing, iteration, settings } = state;
  const isAttempt = standing.phase === 'queued' && standing.work === 'attempt';
  const until = new Date(now.getTime() + longest(state, isAttempt) * 1000).toISOString();
  const stage = isAttempt && settings.stages !== undefined && { stage: stageOf(state).name };
  const id = { iteration, attempt: attemptDue(state), ...stage, holder };
  return { ...id, since: now.toISOString(), until, ...(job && { job }) };
}

/**
 * The sum of a job's time limits in seconds: the agent's part with its questions, setup, each verifier, what
 * is run to prove or compare the result, and the second opinion.
 */
function longest({ settings }: State, withAgent: boolean): number {
  const verifiers = settings.verifiers.reduce((total, { timeout_s }) => total + timeout_s, 0);
  const part = settings.limits.minutes * 60;
  const { hold_s } = settings.permissions ?? usualPermissions;
  const opinion = settings.review === undefined ? 0 : part;
  const once = graceS + verifiers + part + longestTrialsS(settings) + opinion;
  const held = maxAsks * hold_s + (questionLimits.ofRun * longestHoldMs) / 1000;
  return once + (withAgent ? part + held : 0);
}
