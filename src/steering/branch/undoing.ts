import { withContributors } from '../iterations/contributing.ts';
import { settingAside } from '../iterations/held-work.ts';
import { settledBy } from '../iterations/interactions.ts';
import { mostIterations, openIteration, queueWork, updateIteration } from '../iterations/iterations.ts';
import { withoutObservations } from '../iterations/observing.ts';
import { withReport } from '../iterations/pushes.ts';
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
import { isAwaitingChecks, type PushByOther, type Undo } from '../shapes/standing.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State, SteeringIteration } from '../state/state.ts';
import { withoutUpdate } from './updating.ts';

/** People go back to what an earlier iteration came to: a new commit, which is verified. */

/**
 * The undo is an iteration of its own, which costs none of those that people may steer. What is in progress
 * is stopped, for nobody wants its result; steers that wait begin the next iteration afterwards.
 */
export function undoRun(state: State, event: CommandEventOf<'undo'>): Step {
  const way = wayBack(state, event.command.to);
  if ('why' in way) return refuse(way);
  const { to, head, others } = way;
  const step = begin(state, event, { to, head, by: event.by.login });
  return withReply(accepted(step, event), event, { say: 'undoing', to, others });
}

interface WayBack extends Pick<Undo, 'to' | 'head'> {
  readonly others: readonly PushByOther[];
}

/** Where `/undo` leads, with the iteration that was named or null, or why it is refused. */
function wayBack(state: State, named: number | null): WayBack | Refusal {
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
  return withUndoDropped(step, { before: state, event, why });
}

interface Dropped {
  readonly before: State;
  readonly event: Event;
  /** Part of a sentence. */
  readonly why: string;
}

/** Tells whoever asked for an undo that the step does not do it. */
export function withUndoDropped(step: Next, { before, event, why }: Dropped): Next {
  const undoes = undoOf(before);
  if (undoes === undefined) return step;
  const { to, by } = undoes;
  const words = { say: 'not_undone', to, why } as const;
  return withEffect(step, { id: `${event.id}:undo`, do: 'reply', words, to: by });
}

/** The undo that is due or under way. */
export function undoOf({ standing }: Pick<State, 'standing'>): Undo | undefined {
  if (standing.phase === 'verifying') return isAwaitingChecks(standing) ? undefined : standing.undoes;
  if (standing.phase === 'queued') return 'undoes' in standing ? standing.undoes : undefined;
  const stood = standing.phase === 'paused' ? standing.asked?.stood : undefined;
  return stood !== undefined && 'due' in stood && 'undoes' in stood.due ? stood.due.undoes : undefined;
}

/** The iteration whose files are on the branch, as far as ours go. */
export function standsAt(iterations: readonly SteeringIteration[], number = iterations.length - 1): number {
  const { undo, update } = iterations[number] ?? {};
  // What Git alone has merged is no result that anybody could take back.
  if (update !== undefined && update.resolves === undefined && number > 0)
    return standsAt(iterations, number - 1);
  if (undo === undefined) return number;
  return standsAt(iterations, undo.done ? undo.to : number - 1);
}

function begin(state: State, event: CommandEventOf<'undo'>, undoes: Undo): Next {
  const { to, by, head } = undoes;
  const number = state.iteration + 1;
  const isThere = head === state.head;
  const row: SteeringIteration = {
    ...openIteration(number, event.at, { head: state.head, steers: [] }),
    prompt: `Back to iteration ${to}`,
    undo: { ...doneBy(undoes), done: isThere },
  };
  const changed: Partial<State> = {
    ...settledBy(state, event, { by, how: `undone to iteration ${to}` }),
    ...settingAside(state),
    ...withContributors(state, [event.by]),
    ...{ iteration: number, max_iterations: state.max_iterations + 1 },
    ...{ attempt: 0, attempts_used: 0, times_lost: 0, attempts: [], approvals: [] },
    iterations: [...updateIteration(state, { landed: true, attempts: state.attempt }), row],
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
