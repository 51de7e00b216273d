import { isInProgress, type PauseAsked, type Phase } from './standing.ts';
import type { State, SteeringIteration } from './state.ts';

/**
 * What the run is about now, if that is no longer the evaluation of its head: an attempt or a verification
 * that is due or under way, what a stage came to, an agent that was stopped until people answer it, work that
 * is held and not on the branch, or an iteration that has put no commit there.
 */
export type Superseding = 'attempt' | 'stage' | 'stopped_agent' | 'verification' | 'held_work' | 'no_commit';

/** Undefined while what is known of the head is what the run is about. */
export function supersededBy(state: State): Superseding | undefined {
  return workAhead(state.standing) ?? (iterationShown(state) < state.iteration ? 'no_commit' : undefined);
}

/**
 * The iteration in which the head was evaluated, or else put on the branch, by whomever. Times do not tell: a
 * steer can be older than the evaluation that was under way when it was heard, and clocks differ.
 */
export function iterationShown({ iterations, shown, head }: State): number {
  const isEvaluated = ({ score, head_after }: SteeringIteration) =>
    shown !== null && score !== null && head_after === head;
  const isOf = (each: SteeringIteration) => each.head_before !== head || isEvaluated(each);
  return iterations.findLast(isOf)?.iteration_number ?? 0;
}

/** As far as the phase alone says: whether work is due, under way or held that can make a new head. */
export function isWorkAhead(phase: Phase): boolean {
  return (
    isInProgress(phase) ||
    phase === 'awaiting_answer' ||
    phase === 'awaiting_stage' ||
    phase === 'awaiting_permission'
  );
}

function workAhead(standing: State['standing']): Superseding | undefined {
  switch (standing.phase) {
    case 'queued':
      if (standing.work === 'land') return 'held_work';
      return standing.work === 'attempt' ? 'attempt' : 'verification';
    case 'working':
      return standing.held === undefined ? 'attempt' : 'held_work';
    case 'verifying':
      return 'verification';
    case 'awaiting_answer':
      return 'stopped_agent';
    case 'awaiting_stage':
      return 'stage';
    case 'awaiting_permission':
      return 'held' in standing ? 'held_work' : 'stopped_agent';
    case 'timed_out':
      return workAhead(standing.before);
    case 'failed':
      return standing.held === undefined ? undefined : 'held_work';
    case 'paused':
      return standing.asked && stoodAt(standing.asked.stood);
    case 'awaiting_approval':
    case 'awaiting_resolution':
    case 'approved':
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
    case 'blocked':
      return undefined;
  }
}

/** A pause changes nothing about what the run is about. */
function stoodAt(stood: PauseAsked['stood']): Superseding | undefined {
  if ('due' in stood) return workAhead({ phase: 'queued', ...stood.due });
  return 'asking' in stood ? workAhead(stood.asking) : undefined;
}
