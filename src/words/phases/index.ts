import { type Phase, type SettledInteraction, shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { commit } from '../parts/common-phrases.ts';
import { type Format, markdown, plain } from '../parts/sanitize.ts';
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

/** The one comment that asks a human to decide; empty while no decision is needed. */
export function askText(state: State, web: string): string {
  return wordsOf(state).ask?.(state, web) ?? '';
}

/**
 * The comment that asked, once that is settled: how it ended, with the original request folded away.
 * Idempotent.
 */
export function settledAsk(asked: string, settled: SettledInteraction): string {
  const { kind, how, by, head_sha, reply } = settled;
  if (asked.startsWith(settledMark)) return asked;
  // What was allowed, denied or answered is not the head.
  const at = kind === 'approval' || kind === 'interrupt' ? `, at ${commit(head_sha)}` : '';
  // What nobody did is no person's deed.
  const who = by === 'coxswain' ? '' : ` by ${plain(by)}`;
  const answer = reply === undefined ? '' : `: ${plain(reply, 1000)}`;
  // Only a reference of ours is a link.
  const what = /^replaced by #\d+(?:, #\d+)*$/.test(how) ? how : plain(how);
  const ending = `${settledMark} ${what}${who}${at}${answer}.`;
  return `${ending}\n\n<details><summary>Original request</summary>\n\n${asked}\n\n</details>`;
}

const settledMark = '**Settled:**';

/** The first line of `/why`: what the next step of the run waits for, and whether it could come by itself. */
export function missingText(state: State): string {
  const parts = missingParts(state, markdown);
  return parts.length === 0 ? 'Nothing is missing: the run has ended.' : `Missing: ${parts.join('; ')}.`;
}

/** Each is a part of a sentence; there are none once the run has ended. */
export function missingParts(state: State, format: Format): readonly string[] {
  return recordedWords(state).missing(state, format);
}
