import { pauseReopened } from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';
import { noAttempt } from './no-attempt.ts';

/**
 * How every ended run handles events: late results are kept, a reopened pull request pauses, the rest is
 * ignored.
 */
const afterTheEnd = {
  ...noAttempt,
  reopened: pauseReopened,
  comment_changed: ignored,
  review_dismissed: ignored,
  pushed: ignored,
  retargeted: ignored,
  branch_deleted: ignored,
  closed: ignored,
  run_failed: ignored,
  timer_due: ignored,
  finish_checked: ignored,
} satisfies Row<'done' | 'rejected' | 'cancelled'>['events'];

/** Finished: merged, or closed after it was approved. */
export const done: Row<'done'> = { commands: {}, events: afterTheEnd };

/** A person rejected the work, with a reason. */
export const rejected: Row<'rejected'> = { commands: {}, events: afterTheEnd };

/** Ended without a verdict on the work. */
export const cancelled: Row<'cancelled'> = { commands: {}, events: afterTheEnd };
