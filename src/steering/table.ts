import { type CommandName, queryCommands } from './commands/index.ts';
import { approved } from './phases/approved.ts';
import { awaitingAnswer } from './phases/awaiting-answer.ts';
import { awaitingApproval } from './phases/awaiting-approval.ts';
import { awaitingPermission } from './phases/awaiting-permission.ts';
import { awaitingResolution } from './phases/awaiting-resolution.ts';
import { awaitingStage } from './phases/awaiting-stage.ts';
import { blocked } from './phases/blocked.ts';
import { abandoned, cancelled, done, rejected } from './phases/ended.ts';
import { failed } from './phases/failed.ts';
import { paused } from './phases/paused.ts';
import { queued } from './phases/queued.ts';
import { timedOut } from './phases/timed-out.ts';
import { verifying } from './phases/verifying.ts';
import { working } from './phases/working.ts';
import { mayBeAnswered } from './questions/answering.ts';
import { spawningIn } from './resolving/resolving.ts';
import { openConcerns, reviewOf } from './reviewing/review.ts';
import { hasRaisable } from './spending/spending.ts';
import {
  type AskingHuman,
  type InteractionKind,
  isMerged,
  type Phase,
  phaseOf,
  type Standing,
} from './standing.ts';
import type { State } from './state.ts';
import type { AskingRow, Row } from './step.ts';

/** The state machine: one row per phase. */
export const table: { readonly [P in Phase]: P extends AskingHuman['phase'] ? AskingRow<P> : Row<P> } = {
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

/** The commands available to a run, in the order of its phase's row, then the read-only ones. */
export function possibleIn(
  state: Pick<State, 'standing' | 'settings' | 'shown' | 'iteration' | 'questions' | 'review' | 'head'>,
): readonly CommandName[] {
  const { standing } = state;
  if (spawningIn({ standing }) !== undefined) return queryCommands;
  // The keys of `commands` are command names by its type, which Object.keys loses.
  const acting = Object.keys(table[standing.phase].commands) as CommandName[];
  const isAsked = standing.phase !== 'working' || standing.asking !== undefined;
  const pointless: readonly CommandName[] = [
    ...(isAsked ? [] : (['allow', 'deny'] as const)),
    ...(mayBeAnswered(state) ? [] : (['answer'] as const)),
    ...(hasRaisable(state) ? [] : (['budget'] as const)),
    ...(state.iteration === 0 ? (['undo'] as const) : []),
    ...(hasConcerns(state) ? [] : (['dismiss'] as const)),
    ...(standing.phase === 'paused' && standing.until === undefined ? (['pause'] as const) : []),
    ...(state.shown === null && standing.phase !== 'awaiting_stage' ? (['approve'] as const) : []),
    ...(standing.phase === 'timed_out' && standing.before.phase !== 'awaiting_resolution'
      ? (['retry', 'spawn', 'abandon'] as const)
      : []),
  ];
  return [...acting.filter((name) => !pointless.includes(name)), ...queryCommands];
}

function hasConcerns(state: Pick<State, 'settings' | 'review' | 'head'>): boolean {
  const review = reviewOf(state, state.head);
  return review !== undefined && openConcerns(review).length > 0;
}

/** The row of a phase, for the standing of that phase. */
export function rowOf(standing: Standing): Row<Phase> {
  // It is looked up by the standing's own phase, which TypeScript cannot follow through the table.
  return table[standing.phase] as Row<Phase>;
}

/** The row of the phase in which people are asked something of this kind. */
export function askingRow(kind: InteractionKind): AskingRow<AskingHuman['phase']> {
  // As above.
  return table[phaseOf(kind)] as AskingRow<AskingHuman['phase']>;
}

/** Whether a value is the name of a phase. */
export function isPhase(phase: unknown): phase is Phase {
  return typeof phase === 'string' && Object.hasOwn(table, phase);
}

/** Whether a phase ends the run: its ledger is then closed, and so is its pull request. */
export function isOver(phase: Phase): boolean {
  return table[phase].kind === 'over';
}

/** Whether the agent or the verifiers are at work, or will be as soon as an engine has room. */
export function isInProgress(phase: Phase): boolean {
  return table[phase].kind === 'in_progress';
}

/** Whether a run ends between these, or turns out to have been merged although it had ended otherwise. */
export function isEnd(before: Standing, after: Standing): boolean {
  const isCorrected = isMerged(after) && !isMerged(before);
  return isOver(after.phase) && (!isOver(before.phase) || isCorrected);
}
