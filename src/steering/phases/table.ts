import { objectionToPerson, objectionToWay } from '../approval/authorization.ts';
import {
  type ActionCommand,
  type CommandName,
  exampleOf,
  isQuery,
  queryCommands,
  specOf,
} from '../commands/index.ts';
import { spawningIn } from '../iterations/interactions.ts';
import { iterationShown } from '../iterations/iteration.ts';
import { spentBefore, sumOfSeconds } from '../iterations/spending.ts';
import type { AskingRow, CommandEvent, PhaseKind, Row, Step, Superseding } from '../iterations/step.ts';
import type { Person } from '../shapes/people.ts';
import type { ApprovalWay } from '../shapes/settings.ts';
import {
  type AskingHuman,
  type InteractionKind,
  isMerged,
  type PauseAsked,
  type Phase,
  phaseOf,
  type Standing,
} from '../shapes/standing.ts';
import type { Outcome } from '../shapes/task.ts';
import type { Event } from '../state/event.ts';
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
  // The keys of `commands` are command names by its type, which Object.keys loses.
  const acting = Object.keys(table[state.standing.phase].commands) as ActionCommand[];
  return [...acting.filter((name) => isPossible(state, name)), ...queryCommands];
}

/** Whether a command that does something is among them. */
export function isPossible(state: State, name: ActionCommand): boolean {
  if (spawningIn(state) !== undefined || handlerIn(state, name) === undefined) return false;
  const refusal = refusalOf(state, name, { by: anybody, at: state.updated_at });
  return refusal === undefined || !(refusal.why === 'not_now' || specOf(name).pointless?.(refusal, state));
}

/** Those of them that people can say in a comment; where one does not approve, there may be a button. */
export function sayableIn(state: State): readonly CommandName[] {
  return possibleIn(state).filter((name) => objectionToWay(state, name, 'comment') === undefined);
}

const anybody: Person = { login: '', id: 0, role: 'admin', bot: false };

/** Who would say a command, and when, ISO 8601. */
interface Asking {
  readonly by: Person;
  readonly at: string;
  /** How an approval would be given; absent: in a comment. */
  readonly way?: ApprovalWay | undefined;
}

/** Why the phase would refuse a command that is in its row, if somebody clicked on it now. */
function refusalOf(state: State, name: ActionCommand, { by, at }: Asking): Refusal | undefined {
  const { head, questions = [] } = state;
  const interaction = questions[0]?.interaction.id ?? '';
  const source = { from: 'click', check_run_id: 0, head_sha: head, interaction } as const;
  const event: CommandEvent = { type: 'said', id: '', by, at, command: exampleOf(name), source };
  const step = handlerIn(state, name)?.(state, event);
  return typeof step === 'object' && 'refused' in step ? step.refused : undefined;
}

/** How the phase of a run answers a command; undefined if it does not take it. */
export function handlerIn({ standing }: State, name: ActionCommand) {
  // The handler is looked up by this phase and this command; TypeScript cannot correlate the two.
  return table[standing.phase].commands[name] as ((state: State, event: CommandEvent) => Step) | undefined;
}

/** The row of a phase, for the standing of that phase. */
function rowOf(standing: Standing): Row<Phase> {
  // It is looked up by the standing's own phase, which TypeScript cannot follow through the table.
  return table[standing.phase] as Row<Phase>;
}

/** The row of the phase in which people are asked something of this kind. */
export function askingRow(kind: InteractionKind): AskingRow<AskingHuman['phase']> {
  // It is looked up by the phase of that kind, which TypeScript cannot follow either.
  return table[phaseOf(kind)] as AskingRow<AskingHuman['phase']>;
}

/** Whether a value is the name of a phase. */
export function isPhase(phase: unknown): phase is Phase {
  return typeof phase === 'string' && Object.hasOwn(table, phase);
}

/** Undefined for a name that is no phase: whoever may edit a pull request's body can have written it. */
function kindOf(phase: Phase): PhaseKind | undefined {
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

/**
 * The commands available now that would not be refused if this person said them as they are: what may be
 * recommended to them.
 */
export function advisableTo(state: State, asking: Asking): readonly CommandName[] {
  return possibleIn(state).filter((name) => foreseenRefusal(state, name, asking) === undefined);
}

/**
 * Why an available command would be refused if this person said it now, with no more than its example. What
 * depends on more than that, such as a question that was asked only just now, is not foreseen.
 */
export function foreseenRefusal(state: State, name: CommandName, asking: Asking): Refusal | undefined {
  const objection = objectionToPerson(state, name, asking.by);
  if (objection !== undefined || isQuery(name) || specOf(name).wordsDecide) return objection;
  return objectionToWay(state, name, asking.way ?? 'comment') ?? refusalOf(state, name, asking);
}

/** What the run is about now; undefined while that is what is known of its head. */
export function supersededBy(state: State): Superseding | undefined {
  return workAhead(state.standing) ?? (iterationShown(state) < state.iteration ? 'no_commit' : undefined);
}

/** As far as the phase alone says: whether work is due, under way or held that can make a new head. */
export function isWorkAhead(phase: Phase): boolean {
  const kind = kindOf(phase);
  return kind === 'in_progress' || kind === 'asks_midway';
}

/** Neither a pause nor a deadline that has passed changes anything about what the run is about. */
function workAhead(standing: State['standing']): Superseding | undefined {
  if (standing.phase === 'timed_out') return workAhead(standing.before);
  if (standing.phase === 'paused') return standing.asked && stoodAt(standing.asked.stood);
  const { about } = rowOf(standing);
  return typeof about === 'function' ? about(standing) : about;
}

function stoodAt(stood: PauseAsked['stood']): Superseding | undefined {
  if ('due' in stood) return workAhead({ phase: 'queued', ...stood.due });
  return 'asking' in stood ? workAhead(stood.asking) : undefined;
}

/**
 * The state after the event, with the outcome among what it owes if the run has ended with it. Only the App
 * can prove what it writes, so the Action writes nothing: what anybody could have written counts for nobody.
 */
export function withOutcome(before: State | undefined, after: State, event: Event): State {
  if (before === undefined || after.run.presenter !== 'app') return after;
  if (!isEnd(before.standing, after.standing)) return after;
  const outcome = outcomeOf(before, after, event);
  const effect = { id: `${event.id}:outcome`, do: 'record_outcome', outcome } as const;
  return { ...after, owed: [...after.owed, effect] };
}

function outcomeOf(before: State, after: State, event: Event): Outcome {
  const { run, shown, iterations, agents = [], flaky = [], started_at, updated_at } = after;
  const confidence = shown?.confidence;
  return {
    ...{ version: 1, repository_id: run.repository_id, number: run.number },
    ...{ seq: after.seq, event: event.id },
    outcome: howItEnded(after, event),
    approved_by: approvedBy(before, after),
    agents,
    iterations: iterations.length,
    // The current iteration counts its attempts only when it has landed.
    attempts: iterations.slice(0, -1).reduce((sum, each) => sum + each.attempts, after.attempt),
    score: confidence?.score ?? null,
    band: confidence?.band ?? null,
    formula: confidence?.formula ?? null,
    cost: spentBefore(after),
    worked_s: iterations.reduce((sum, { duration_s }) => sumOfSeconds(sum, duration_s), 0),
    ...{ started_at, ended_at: updated_at, head: after.head, base: run.base },
    ...(flaky.length > 0 && { flaky: flaky.map(({ name }) => name) }),
  };
}

function howItEnded({ standing }: State, event: Event): Outcome['outcome'] {
  if (event.type === 'closed') return event.merged ? 'merged' : 'closed';
  if (standing.phase === 'rejected') return 'rejected';
  return standing.phase === 'cancelled' && standing.by === null ? 'no_changes' : 'cancelled';
}

/** An approval counts only if the final check has confirmed it, for the base that it was merged into. */
function approvedBy({ standing }: State, after: State): Outcome['approved_by'] {
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return null;
  if (standing.ground !== undefined) return isKept(after) ? 'policy' : null;
  return after.approvals.length > 0 ? 'people' : null;
}

function isKept({ standing }: State): boolean {
  return standing.phase === 'done' && standing.ground !== undefined;
}
