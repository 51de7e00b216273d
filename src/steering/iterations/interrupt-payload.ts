import type { Interrupt } from '../shapes/standing.ts';
import type { Task } from '../shapes/task.ts';
import type { State } from '../state/state.ts';
import { interruptIn } from './interactions.ts';
import { currentIteration } from './iterations.ts';

/** A task that needs people, as other programs get it. Its names are a public interface. */
export interface InterruptPayload {
  readonly type: InterruptType;
  readonly task_id: string;
  readonly task_description: string;
  readonly component: string;
  /** What kind of work the task is. */
  readonly phase: Task['kind'];
  readonly retry_count: number;
  readonly failure_reason: string;
  readonly acceptance_criteria: readonly string[];
  /** Empty if nothing of it is on the branch. */
  readonly files_modified: readonly string[];
  readonly assigned_worker_profile: string;
  readonly depends_on: readonly string[];
  /** Which of our own reasons it was: several of them are one type. */
  readonly cause: Interrupt['type'];
}

type InterruptType = 'task_exceeded_retries' | 'zero_confidence' | 'budget_exceeded' | 'manual_interrupt';

/** Where nobody has said why. */
export const noDetails = 'No details available';

/** Why a run cannot go on without people, and what its task is; null unless that is so. */
export function interruptPayload(state: State): InterruptPayload | null {
  const { task } = state;
  const interrupt = interruptIn(state);
  if (interrupt === undefined) return null;
  return {
    type: typeOf(interrupt.type),
    task_id: task.id,
    task_description: task.description,
    component: task.component,
    phase: task.kind,
    retry_count: interrupt.retry_count,
    failure_reason: interrupt.failure_reason.trim() || noDetails,
    acceptance_criteria: task.acceptance_criteria,
    files_modified: currentIteration(state).files_modified,
    assigned_worker_profile: task.worker_profile,
    depends_on: task.depends_on,
    cause: interrupt.type,
  };
}

/** What is no type of its own is told apart by its cause. */
function typeOf(cause: Interrupt['type']): InterruptType {
  const isOne = cause === 'zero_confidence' || cause === 'budget_exceeded' || cause === 'manual_interrupt';
  return isOne ? cause : 'task_exceeded_retries';
}
