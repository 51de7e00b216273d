import { WorktreeUnusable } from '../../git/worktree-unusable.ts';
import { isFlaky } from '../../steering/confidence/flaky.ts';
import { trialTime } from '../../steering/confidence/trial-time.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { Trial } from '../../steering/shapes/progress.ts';
import type { ProofResult, ProofRun } from '../../steering/shapes/proof.ts';
import { shortened } from '../../text/cut.ts';
import { redact } from '../../text/redact.ts';
import type { VerifierResult } from '../attempt/verifiers.ts';
import { inWorkspace } from '../attempt/workspace.ts';
import { type Assignment, secondsSince } from '../port/assignment.ts';
import { type VerifierRun, type Verifying, verifyIn, type Watching } from './verifier-run.ts';

/** Who waits for a run of the verifiers that decides nothing by itself. */
export interface TrialWatching extends Watching {
  /** Nobody needs the result any more, but the work goes on. */
  readonly enough?: AbortSignal;
  /** How long the verifiers have just taken on the change, in milliseconds. */
  readonly tookMs: number;
}

interface Tried {
  readonly commit: string;
  readonly trial: Trial;
  /** Nothing hangs on what is red, so that it is not run once more. */
  readonly once?: boolean;
}

export const steered = skipped('somebody has steered meanwhile');

/**
 * Runs the verifiers on another commit as they were run on the change: in a workspace of its own, which is
 * gone afterwards, with the same set-up, network and sandbox. What they need is bounded by what they have
 * just taken.
 */
export async function tryOut(
  { commit, trial, once = false }: Tried,
  { assignment, resources }: Verifying,
  { signal, enough, tookMs, onProgress }: TrialWatching,
): Promise<ProofRun | 'cancelled'> {
  const timeMs = trialTime(assignment.state.settings, tookMs);
  if (timeMs === undefined) return skipped('the verifiers take too long to be run again');
  if (enough?.aborted) return steered;
  const began = performance.now();
  const late = AbortSignal.timeout(timeMs);
  const stop = AbortSignal.any([signal, late, ...(enough === undefined ? [] : [enough])]);
  // Those of the attempt stay until it ends, each with everything that its set-up has installed.
  const { workspaces: _, ...own } = resources;
  const watching = {
    signal: stop,
    ...(onProgress && { onProgress: (all: Parameters<typeof onProgress>[0]) => onProgress(all, trial) }),
  };
  const result = await inWorkspace({ ...assignment, commit }, own, (context) =>
    verifyIn(context, { assignment: once ? withoutReruns(assignment) : assignment, resources }, watching),
  ).catch(unusable);
  if (signal.aborted) return 'cancelled';
  if (result.kind === 'ran')
    return { outcome: 'ran', verifiers: result.results.map(resultOf), duration_s: secondsSince(began) };
  if (result.kind === 'cancelled') return enough?.aborted ? steered : skipped('it took too long');
  return skipped(shortened(redact(firstLine(result.failure.message), resources.secrets), maxReason));
}

function withoutReruns(assignment: Assignment): Assignment {
  const { state } = assignment;
  return { ...assignment, state: { ...state, settings: { ...state.settings, flaky: { reruns: 0 } } } };
}

const maxReason = 300;

export function skipped(why: string): Extract<ProofRun, { outcome: 'skipped' }> {
  return { outcome: 'skipped', why };
}

export function resultOf({ full }: VerifierResult): ProofResult {
  const { name, success, exit_code, timed_out } = full;
  const tests = testsRun(full);
  return {
    ...{ name, success, exit_code, timed_out },
    ...(tests !== undefined && { tests }),
    ...(isFlaky(full) && { flaky: true }),
  };
}

/** How many tests were not skipped; undefined if it is not known, or not of all. */
export function testsRun({ tests }: VerifierOutput): number | undefined {
  if (tests === undefined || (tests.from === 'junit' && tests.unread !== undefined)) return undefined;
  return tests.total - tests.skipped;
}

function unusable(fault: unknown): VerifierRun {
  if (!(fault instanceof WorktreeUnusable)) throw fault;
  return { kind: 'failed', failure: { kind: 'worktree', message: fault.message } };
}

/** What follows is what a command has printed. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
