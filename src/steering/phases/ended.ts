import type { EventOf } from '../event.ts';
import { ended, keepLateResult, noAttempt, pauseReopened } from '../event-handlers.ts';
import { isMerged } from '../standing.ts';
import type { State } from '../state.ts';
import { ignored, nothing, type Row, type Step } from '../step.ts';

/**
 * How every ended run handles events: late results are kept, a reopened pull request pauses, a merge counts,
 * the rest is ignored.
 */
const afterTheEnd = {
  ...noAttempt,
  work_parked: keepLateResult,
  reopened: pauseReopened,
  comment_changed: ignored,
  review_dismissed: ignored,
  pushed: ignored,
  retargeted: ignored,
  branch_deleted: ignored,
  closed: mergedAfterAll,
  run_failed: ignored,
  timer_due: ignored,
  finish_checked: ignored,
} satisfies Row<'done' | 'rejected' | 'cancelled' | 'abandoned'>['events'];

/** Finished: merged, or closed after it was approved. */
export const done: Row<'done'> = { commands: {}, events: afterTheEnd };

/** A person rejected the work, with a reason. */
export const rejected: Row<'rejected'> = { commands: {}, events: afterTheEnd };

/** Ended without a verdict on the work. */
export const cancelled: Row<'cancelled'> = { commands: {}, events: afterTheEnd };

/** Given up, or replaced by other runs. */
export const abandoned: Row<'abandoned'> = { commands: {}, events: afterTheEnd };

/**
 * Somebody merged it before we had ended the run, and we heard of that afterwards: nobody can undo a merge.
 * What the run ended with was no approval of it.
 */
function mergedAfterAll(state: State, event: EventOf<'closed'>): Step {
  return event.merged && !isMerged(state.standing) ? ended(state, event) : nothing;
}
