import { objectionToWay } from '../approval/ways.ts';
import { type ActionCommand, type CommandName, exampleOf, queryCommands, specOf } from '../commands/index.ts';
import { spawningIn } from '../handlers/resolving.ts';
import type { AskingRow, CommandEvent, PhaseKind, Row, Step } from '../iterations/step.ts';
import type { Person } from '../shapes/person.ts';
import {
  type AskingHuman,
  type InteractionKind,
  isMerged,
  type Phase,
  phaseOf,
  type Standing,
} from '../shapes/standing.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';
import { approved } from './approved.ts';
import { awaitingAnswer } from './awaiting-answer.ts';
import { awaitingApproval } from './awaiting-approval.ts';
import { awaitingPermission } from './awaiting-permission.ts';
import { awaitingResolution } from './awaiting-resolution.ts';
import { awaitingStage } from './awaiting-stage.ts';
import { blocked } from './blocked.ts';
import { abandoned, cancelled, done, rejected } from './ended.ts';
import { failed } from './failed.ts';
import { paused } from './paused.ts';
import { queued } from './queued.ts';
import { timedOut } from './timed-out.ts';
import { verifying } from './verifying.ts';
import { working } from './working.ts';

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

/**
 * The commands available to a run, in the order of its phase's row, then the read-only ones. Those are left
 * out that would be refused whoever said them.
 */
export function possibleIn(state: State): readonly CommandName[] {
  const { standing, updated_at: at } = state;
  if (spawningIn({ standing }) !== undefined) return queryCommands;
  // The keys of `commands` are command names by its type, which Object.keys loses.
  const acting = Object.keys(table[standing.phase].commands) as ActionCommand[];
  const possible = acting.filter((name) => {
    const refusal = refusalOf(state, name, { by: anybody, at });
    return refusal === undefined || !(refusal.why === 'not_now' || specOf(name).pointless?.(refusal, state));
  });
  return [...possible, ...queryCommands];
}

/** Those of them that people can say in a comment; where one does not approve, there may be a button. */
export function sayableIn(state: State): readonly CommandName[] {
  return possibleIn(state).filter((name) => objectionToWay(state, name, 'comment') === undefined);
}

const anybody: Person = { login: '', id: 0, role: 'admin', bot: false };

/** Who would say a command, and when, ISO 8601. */
export interface Asking {
  readonly by: Person;
  readonly at: string;
}

/** Why the phase would refuse a command that is in its row, if somebody clicked on it now. */
export function refusalOf(state: State, name: ActionCommand, asking: Asking): Refusal | undefined {
  const { head, questions = [] } = state;
  const interaction = questions[0]?.interaction.id ?? '';
  const source = { from: 'click', check_run_id: 0, head_sha: head, interaction } as const;
  const event: CommandEvent = { type: 'said', id: '', ...asking, command: exampleOf(name), source };
  const step = handlerIn(state, name)?.(state, event);
  return typeof step === 'object' && 'refused' in step ? step.refused : undefined;
}

/** How the phase of a run answers a command; undefined if it does not take it. */
export function handlerIn({ standing }: State, name: ActionCommand) {
  // The handler is looked up by this phase and this command; TypeScript cannot correlate the two.
  return table[standing.phase].commands[name] as ((state: State, event: CommandEvent) => Step) | undefined;
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

/** Undefined for a name that is no phase: whoever may edit a pull request's body can have written it. */
export function kindOf(phase: Phase): PhaseKind | undefined {
  return isPhase(phase) ? table[phase].kind : undefined;
}

/** Whether a phase ends the run: its ledger is then closed, and so is its pull request. */
export function isOver(phase: Phase): boolean {
  return kindOf(phase) === 'over';
}

/** Whether the agent or the verifiers are at work, or will be as soon as an engine has room. */
export function isInProgress(phase: Phase): boolean {
  return kindOf(phase) === 'in_progress';
}

/** Whether a run ends between these, or turns out to have been merged although it had ended otherwise. */
export function isEnd(before: Standing, after: Standing): boolean {
  const isCorrected = isMerged(after) && !isMerged(before);
  return isOver(after.phase) && (!isOver(before.phase) || isCorrected);
}
