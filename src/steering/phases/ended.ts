import { ended, keepLateResult, noAttempt, pauseReopened } from '../handlers/event-handlers.ts';
import { ignored, nothing, type Row, type Step } from '../iterations/step.ts';
import type { PolicyGround } from '../shapes/finishing.ts';
import { isMerged } from '../shapes/standing.ts';
import type { Replacement } from '../shapes/task.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    /** `ground`: it was approved by policy when it ended, and the final check had let it. */
    done: { phase: 'done'; merged: boolean; ground?: PolicyGround };
    rejected: { phase: 'rejected'; by: string; reason: string };
    cancelled: { phase: 'cancelled'; by: string | null; reason: string };
    /** Somebody gave the task up, or other runs have taken its place. */
    abandoned: { phase: 'abandoned'; by: string; reason: string; replaced_by?: Replacement };
  }
}

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
} satisfies Row<'done' | 'rejected' | 'cancelled' | 'abandoned'>['events'];

/** The run is finished: it was merged, or closed after it was approved. */
export const done: Row<'done'> = { kind: 'over', commands: {}, events: afterTheEnd };

/** A person rejected the work, with a reason. */
export const rejected: Row<'rejected'> = { kind: 'over', commands: {}, events: afterTheEnd };

/** The run ended without a verdict on the work. */
export const cancelled: Row<'cancelled'> = { kind: 'over', commands: {}, events: afterTheEnd };

/** The task was given up, or other runs have taken its place. */
export const abandoned: Row<'abandoned'> = { kind: 'over', commands: {}, events: afterTheEnd };

/**
 * Somebody merged it before we had ended the run, and we heard of that afterwards: nobody can undo a merge.
 * What the run ended with was no approval of it.
 */
function mergedAfterAll(state: State, event: EventOf<'closed'>): Step {
  return event.merged && !isMerged(state.standing) ? ended(state, event) : nothing;
}
