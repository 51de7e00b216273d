import { type Phase, shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { queued, verifying, working } from './at-work.ts';
import { awaitingAnswer } from './awaiting-answer.ts';
import { awaitingApproval } from './awaiting-approval.ts';
import { awaitingPermission } from './awaiting-permission.ts';
import { awaitingResolution } from './awaiting-resolution.ts';
import { awaitingStage } from './awaiting-stage.ts';
import { abandoned, approved, cancelled, done, rejected } from './ended.ts';
import type { PhaseWords } from './row.ts';
import { blocked, failed, paused, timedOut } from './stopped.ts';

/** What people read of each phase. */
export const phaseWords: { readonly [P in Phase]: PhaseWords<P> } = {
  blocked,
  queued,
  working,
  verifying,
  awaiting_approval: awaitingApproval,
  awaiting_answer: awaitingAnswer,
  awaiting_stage: awaitingStage,
  awaiting_permission: awaitingPermission,
  awaiting_resolution: awaitingResolution,
  paused,
  approved,
  done,
  rejected,
  cancelled,
  abandoned,
  timed_out: timedOut,
  failed,
};

/** The words of a run as people see it: an agent that is held works, and yet waits for them. */
export function wordsOf(state: State): PhaseWords<Phase> {
  // The row is that of the state's own phase, which TypeScript cannot follow through the table.
  return phaseWords[shownPhase(state)] as PhaseWords<Phase>;
}

/** The words of the phase in which a run is recorded. */
export function recordedWords({ standing }: Pick<State, 'standing'>): PhaseWords<Phase> {
  // As above.
  return phaseWords[standing.phase] as PhaseWords<Phase>;
}

/** Where a run stands, in a sentence that is true as long as its phase lasts. */
export function phaseSentence(state: State): string {
  const { sentence, title } = wordsOf(state);
  return (sentence ?? title)(state);
}
