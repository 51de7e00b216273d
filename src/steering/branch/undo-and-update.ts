import { reportAt, withContributors, withReport } from '../iterations/authorship.ts';
import { interactionsOf } from '../iterations/interactions.ts';
import {
  currentIteration,
  mostIterations,
  newIteration,
  queueWork,
  updateIteration,
  wayBack,
  withoutObservations,
} from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  holdsLease,
  type Next,
  next,
  refuse,
  type Step,
  withEffect,
  withReply,
} from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import { goesOnWithAgent, isAwaitingChecks, type PushByOther, type Undo } from '../shapes/standing.ts';
import type { Event, EventOf, Stamp } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { BaseUpdate, In, State, SteeringIteration, WantedUpdate } from '../state/state.ts';

/**
 * People go back to what an earlier iteration came to: a new commit, which is verified. The undo is an
 * iteration of its own, which costs none of those that people may steer. What is in progress is stopped, for
 * nobody wants its result; steers that wait begin the next iteration afterwards.
 */
export function undoRun(state: State, event: CommandEventOf<'undo'>): Step {
  const way = undoTarget(state, event.command.to);
  if ('why' in way) return refuse(way);
  const { to, head, others } = way;
  const step = beginUndo(state, event, { to, head, by: event.by.login });
  return withReply(accepted(step, event), event, { say: 'undoing', to, others });
}

interface WayBack extends Pick<Undo, 'to' | 'head'> {
  readonly others: readonly PushByOther[];
}

/** Where `/undo` leads, with the iteration that was named or null, or why it is refused. */
function undoTarget(state: State, named: number | null): WayBack | Refusal {
  const { iteration: newest, max_iterations: max } = state;
  const to = named ?? standsAt(state.iterations) - 1;
  if (to < 0) return { why: 'nothing_to_undo' };
  if (to >= newest) return { why: 'no_earlier_iteration', named: to, newest };
  const { head_after: head = state.head, score = null } = state.iterations[to] ?? {};
  // Between two stages it has come to nothing yet that could be verified.
  if (state.settings.stages !== undefined && score === null) return { why: 'nothing_to_undo' };
  if (max >= mostIterations) return { why: 'extended_enough', max };
  const others = pushedSince(state, to, head);
  // Whoever names the iteration has seen what else would go.
  if (named === null && others.length > 0) return { why: 'undoes_others', to, others };
  return { to, head, others };
}

/** The commit with the files of then is on the branch, together with this record. */
export function undone(state: In<'verifying'>, event: EventOf<'undone'>): Step | undefined {
  const { hold, head_before, head, at } = event;
  if (isAwaitingChecks(state.standing)) return undefined;
  const { undoes, ...verifying } = state.standing;
  if (!holdsLease(state, hold) || head_before !== state.head || undoes === undefined) return undefined;
  const changed: Partial<State> = {
    ...{ head, head_at: at, shown: null, approvals: [], report: null, standing: verifying },
    ...withReport(state),
    ...(event.skips_ci && { ci_skipped: head }),
    iterations: updateIteration(state, { head_after: head, undo: { ...doneBy(undoes), done: true } }),
  };
  return { ...next(state, changed, `Back to iteration ${undoes.to} for ${undoes.by}`), takes_code: true };
}

/** It cannot be done, or must not any more: the head is verified as it is, and whoever asked is told. */
export function undoFailed(state: State, event: Event, why: string): Next {
  const step = queueWork(state, 'verify_head', `No way back: ${why}`);
  return withUndoDropped(step, state, event, why);
}

/** Tells whoever asked for an undo that the step does not do it; `why` is part of a sentence. */
export function withUndoDropped(step: Next, before: State, event: Event, why: string): Next {
  const undoes = undoOf(before);
  if (undoes === undefined) return step;
  const { to, by } = undoes;
  const words = { say: 'not_undone', to, why } as const;
  return withEffect(step, { id: `${event.id}:undo`, do: 'reply', words, to: by });
}

/** The undo that is due or under way; undefined if there is none. */
export function undoOf({ standing }: State): Undo | undefined {
  if (standing.phase === 'verifying') return isAwaitingChecks(standing) ? undefined : standing.undoes;
  if (standing.phase === 'queued') return 'undoes' in standing ? standing.undoes : undefined;
  const stood = standing.phase === 'paused' ? standing.asked?.stood : undefined;
  return stood !== undefined && 'due' in stood && 'undoes' in stood.due ? stood.due.undoes : undefined;
}

/** The iteration whose files are on the branch, as far as ours go. */
function standsAt(iterations: readonly SteeringIteration[], number = iterations.length - 1): number {
  const { undo, update } = iterations[number] ?? {};
  // What Git alone has merged is no result that anybody could take back.
  if (update !== undefined && update.resolves === undefined && number > 0)
    return standsAt(iterations, number - 1);
  if (undo === undefined) return number;
  return standsAt(iterations, undo.done ? undo.to : number - 1);
}

function beginUndo(state: State, event: CommandEventOf<'undo'>, undoes: Undo): Next {
  const { to, by, head } = undoes;
  const isThere = head === state.head;
  const end = { by, how: `undone to iteration ${to}` };
  const row = { prompt: `Back to iteration ${to}`, undo: { ...doneBy(undoes), done: isThere } };
  const changed: Partial<State> = {
    ...newIteration(state, event, end, row),
    ...withContributors(state, [event.by]),
    ...{ max_iterations: state.max_iterations + 1, approvals: [] },
    standing: { phase: 'queued', work: 'verify_head', ...(!isThere && { undoes }) },
  };
  const { parked: _, update: __, ...wanted } = withoutObservations(withoutUpdate(state));
  return next(wanted, changed, `Go back to iteration ${to} for ${by}`);
}

function doneBy({ to, by }: Undo): Pick<Undo, 'to' | 'by'> {
  return { to, by };
}

/** What others pushed that this iteration did not have yet. */
function pushedSince(
  { pushes = [], iterations }: State,
  to: number,
  head: string,
): NonNullable<State['pushes']> {
  const isBehind = iterations[to + 1]?.head_before !== head;
  return pushes.filter(({ iteration }) => iteration > to || (iteration === to && isBehind));
}

/** The run may have more iterations from now on. */
export function extendRun(state: State, event: CommandEventOf<'extend'>): Step {
  const { max_iterations: max } = state;
  if (max >= mostIterations) return refuse({ why: 'extended_enough', max });
  const to = Math.min(max + event.command.more, mostIterations);
  const step = next(state, { max_iterations: to }, `Extended to ${to} iterations by ${event.by.login}`);
  return withReply(accepted(step, event), event, { say: 'extended', to });
}

type Asked = CommandEventOf<'update'>;

/**
 * The base has moved, and people want what it has by now on the branch: a merge, which is verified. The
 * update is an iteration of its own, which costs none of those that people may steer. What has been approved
 * stands until there is another head.
 */
export function updateRun(state: State, event: Asked): Step {
  const settled = answeredAtOnce(state, event);
  if (settled !== undefined) return settled;
  const step = beginUpdate({ ...state, ...steering(state, event) }, event, wantedBy(event));
  return withReply(accepted(step, event), event, { say: 'updating', base: state.run.base });
}

/** What an agent was stopped at has to go on before anything is merged below it. */
export function updateTimedOut(state: In<'timed_out'>, event: Asked): Step {
  if (goesOnWithAgent(state.standing))
    return refuse({ why: 'not_now', command: 'update', phase: 'timed_out' });
  return updateRun(state, event);
}

/** Work in progress is finished first, as it is for a steer that waits. */
export function updateLater(state: State, event: Asked): Step {
  const settled = answeredAtOnce(state, event);
  if (settled !== undefined) return settled;
  const { base } = state.run;
  const { resolve } = event.command;
  const due = updateDue(state);
  const known = due ?? state.update;
  if (known !== undefined && (known.resolve || !resolve))
    return refuse({ why: 'updating_already', base, waits: due === undefined });
  const changed: Partial<State> =
    due === undefined
      ? { update: wantedBy(event) }
      : { iterations: updateIteration(state, { update: { ...due, resolve: true } }) };
  const step = next(state, { ...changed, ...steering(state, event) }, `Merge ${base} for ${event.by.login}`);
  return withReply(accepted(step, event), event, {
    say: due === undefined ? 'update_waits' : 'updating',
    base,
  });
}

/** The answer where nothing is to be merged, or the run has no room for it; undefined if it is merged. */
function answeredAtOnce(state: State, event: Asked): Step | undefined {
  const { max_iterations: max } = state;
  const { base } = state.run;
  if (event.up_to_date) {
    const step = next(state, {}, `The branch is up to date with ${base}`);
    return withReply(step, event, { say: 'up_to_date', base });
  }
  return max >= mostIterations ? refuse({ why: 'extended_enough', max }) : undefined;
}

function wantedBy({ by, command: { resolve } }: Asked): WantedUpdate {
  return { by: by.login, ...(resolve && { resolve }) };
}

/** A merge is nobody's change; whoever sets an agent to work on it shapes what that does. */
function steering(state: State, { by, command }: Asked): Pick<State, 'contributors'> {
  return command.resolve ? withContributors(state, [by]) : {};
}

/** Starts the iteration of an update, which Git does without the agent if it can. */
export function beginUpdate(state: State, event: Stamp, wanted: WantedUpdate): Next {
  const { base } = state.run;
  const whom = wanted.by === null ? '' : ` for ${wanted.by}`;
  const end = { by: wanted.by ?? 'coxswain', how: `updated from ${base}` };
  const row = { prompt: `Merge ${base} into the branch`, update: { ...wanted, base, done: false } };
  const changed: Partial<State> = {
    ...newIteration(state, event, end, row),
    ...{ max_iterations: state.max_iterations + 1, merges_base: true },
    standing: { phase: 'queued', work: 'verify_head' },
  };
  const { update: _, parked: __, ...rest } = withoutObservations(state);
  return next(rest, changed, `Merge ${base} into the branch${whom}`);
}

/** The update that the work which is due or under way begins with. */
export function updateDue(state: State): BaseUpdate | undefined {
  const { update } = currentIteration(state);
  return state.merges_base && update?.done === false ? update : undefined;
}

/** Nothing begins with an update that has come to nothing, until people want it again. */
export function withoutUpdate(state: State): State {
  if (updateDue(state) === undefined) return state;
  const { merges_base: _, ...others } = state;
  return others;
}

/** What an iteration of an update has to begin with when it goes on, or has other words. */
export function updateAgain(state: State): Pick<State, 'merges_base'> {
  return currentIteration(state).update?.done === false ? { merges_base: true } : {};
}

/**
 * Git cannot merge the base at this commit: the agent tries once, if people want that; undefined if they have
 * to decide.
 */
export function resolveConflict(state: State, event: Stamp, tip: string | undefined): Next | undefined {
  const { update } = currentIteration(state);
  const isWanted = updateDue(state)?.resolve || state.settings.on_conflict === 'resolve';
  if (!isWanted || tip === undefined || update?.resolves !== undefined) return undefined;
  const isBegun = update?.done === false;
  if (!isBegun && state.max_iterations >= mostIterations) return undefined;
  const begun = isBegun ? state : beginUpdate(state, event, { by: null }).state;
  const { base } = state.run;
  const resolving: BaseUpdate = {
    by: null,
    ...currentIteration(begun).update,
    base,
    resolves: tip,
    done: false,
  };
  const changed: Partial<State> = {
    ...{ attempts_used: 0, merges_base: true, standing: { phase: 'queued', work: 'attempt' } },
    ...(state.settings.stages && { stage: wayBack(state.settings).name }),
    iterations: updateIteration(begun, { update: resolving, landed: false }),
  };
  return next(begun, changed, `Let the agent resolve the conflicts with ${base} at ${shortSha(tip)}`);
}

/**
 * What is known of a branch once a base is merged into it, by Git or by the agent. What another base holds
 * than the one that the task was taken for, somebody has written whom its branch does not name.
 */
export function withBaseMerged(
  state: State,
  base: string,
): Pick<State, 'people_unknown' | 'base_merged_while_shown'> {
  return {
    ...(base !== state.task.base && { people_unknown: true }),
    ...(interactionsOf(state).length > 0 && { base_merged_while_shown: true }),
  };
}

/** The iterations once the merge of an update is on the branch. */
export function updated(state: State): readonly SteeringIteration[] {
  const { update } = currentIteration(state);
  return update === undefined
    ? state.iterations
    : updateIteration(state, { update: { ...update, done: true } });
}

/** The base is merged into the branch, before an agent begins or as an update. */
export function baseMerged(before: In<'working' | 'verifying'>, event: EventOf<'base_merged'>): Next {
  const { head, head_before, base, base_sha, skips_ci, at } = event;
  const { merges_base: _, ...merged } = before;
  const state: State = { ...merged, iterations: updated(before), ...thenVerified(before) };
  const { run } = state;
  const subject = `Merge ${base} at ${shortSha(base_sha)} into the branch`;
  if (head === head_before) return next(state, {}, subject);
  const moved: Partial<State> = {
    ...{ head, head_at: at, shown: null, approvals: [], ...reportAt(state, head) },
    iterations: updateIteration(state, { head_after: head }),
    ...(skips_ci && { ci_skipped: head }),
    // Nothing of it is the agent's work.
    ...(head_before === run.head && { run: { ...run, head } }),
    ...withBaseMerged(state, base),
  };
  return { ...next(state, moved, subject), takes_code: true };
}

/** Where Git could merge what an agent was to resolve, there is nothing left for it to do. */
function thenVerified(state: In<'working' | 'verifying'>): Partial<State> {
  const { standing } = state;
  const isForAgent = updateDue(state) === undefined || currentIteration(state).steers.length > 0;
  if (standing.phase === 'verifying' || isForAgent) return {};
  return { standing: { phase: 'verifying', hold: standing.hold, work: 'verify_head' } };
}
