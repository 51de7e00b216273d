import type { Found, VerifierOutput } from '../shapes/attempt-result.ts';
import { meaningOf } from '../shapes/gate-rules.ts';
import { changesBehaviour } from '../shapes/proof.ts';
import { decisionBy, type ScoreInputs, scoreOf } from '../shapes/score.ts';
import type { Stamp } from '../state/event.ts';
import type { Evaluation, State, SteeringIteration } from '../state/state.ts';
import { isFlaky } from './flaky.ts';
import { reviewOf } from './review.ts';

/** What people review: the commit with its verifier results, gates and confidence. */
export function evaluate(state: State, event: Stamp & Found): Evaluation {
  const gates = [...event.gates, ...(state.ran ?? [])];
  const { mode, threshold } = state.settings.approval;
  const review = reviewOf(state, event.head);
  const inputs: ScoreInputs = {
    verifiers: {
      passed: event.verifiers.filter(({ success }) => success).length,
      total: event.verifiers.length,
    },
    reviewer: review?.confidence ?? null,
    retries: Math.max(state.attempts_used - 1, 0),
    max_retries: state.settings.attempts.max - 1,
    destructive: gates.some(({ rule }) => meaningOf(rule)?.destroys === true),
    tool_calls: toolCalls(state),
    uncertain: state.report?.status === 'uncertain',
    // Where people decide anyhow, they see what the tests say.
    changes_behaviour: mode !== 'manual' && changesBehaviour(event.proof, event.verifiers),
  };
  const confidence = scoreOf(inputs);
  const scored = {
    confidence,
    ...(inputs.reviewer !== null && { without_review: scoreOf({ ...inputs, reviewer: null }) }),
  };
  const decision = decisionBy(scored, { gated: gates.length > 0, mode, threshold });
  return {
    head_sha: event.head,
    at: event.at,
    changes: event.changes,
    ...(event.commits !== undefined && { commits: event.commits }),
    verifiers: event.verifiers,
    gates,
    ...factsOf(state, event),
    ...scored,
    decision,
  };
}

/** What was found out about the commit besides its verifiers and gates. */
function factsOf(
  { settings }: State,
  { subject, remarks, proof, baseline, merged_with, authority, merged_runs }: Found,
): Partial<Evaluation> {
  const off = settings.gates?.off ?? [];
  return {
    ...(off.length > 0 && { gates_off: off }),
    ...(subject !== undefined && { subject }),
    ...(remarks !== undefined && { remarks }),
    ...(proof !== undefined && { proof }),
    ...(baseline !== undefined && { baseline }),
    ...(merged_with !== undefined && { merged_with }),
    ...(authority !== undefined && { authority }),
    ...(merged_runs !== undefined && { merged_runs }),
  };
}

function toolCalls(state: State): { succeeded: number; total: number; denied: number } {
  const calls = state.report?.tool_calls ?? [];
  const counted = calls.filter(({ outcome }) => outcome !== 'denied');
  const succeeded = counted.filter(({ outcome }) => outcome === 'ok').length;
  return { succeeded, total: counted.length, denied: calls.length - counted.length };
}

/** What the pull request's table shows about the iteration. */
export function summarize(
  state: State,
  shown: Evaluation,
  own_files: readonly string[] | undefined,
): Partial<SteeringIteration> {
  return {
    head_after: shown.head_sha,
    files_modified: own_files ?? shown.changes.files.map(({ path }) => path),
    files_of: own_files === undefined ? 'run' : 'iteration',
    output: state.report?.summary ?? '',
    attempts: state.attempt,
    score: shown.confidence.score,
    formula: shown.confidence.formula,
    verifiers: shown.verifiers.map((output) => ({
      ...{ name: output.name, success: output.success },
      ...(!output.required && { required: output.required }),
      ...(isFlaky(output) && { flaky: true }),
    })),
  };
}

/** Whether a verifier now fails that passed or was not there, or a gate is hit that was not. */
export function isWorse(before: Evaluation, now: Evaluation): boolean {
  const passed = now.verifiers.filter(({ success }) => success).map(({ name }) => name);
  const failed = before.verifiers.filter(({ success }) => !success).map(({ name }) => name);
  const known = before.gates.map(({ rule }) => rule);
  return (
    now.verifiers.some(({ name }) => !passed.includes(name) && !failed.includes(name)) ||
    now.gates.some(({ rule }) => !known.includes(rule))
  );
}

/** The required verifiers that failed, by name. */
export function failedRequired(verifiers: readonly VerifierOutput[]): readonly string[] {
  return verifiers.filter(({ required, success }) => required && !success).map(({ name }) => name);
}
