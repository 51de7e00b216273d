import { keepLateResult, pauseReopened } from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';

/** After the end of a run, late results are recorded and reopening pauses it; other facts are ignored. */
export const afterTheEnd = {
  work_finished: keepLateResult,
  work_failed: keepLateResult,
  verified: keepLateResult,
  reopened: pauseReopened,
  attempt_started: ignored,
  comment_changed: ignored,
  review_dismissed: ignored,
  hold_lost: ignored,
  pushed: ignored,
  branch_deleted: ignored,
  closed: ignored,
  run_failed: ignored,
  timer_due: ignored,
  finish_checked: ignored,
} satisfies Row<'done' | 'rejected' | 'cancelled'>['events'];
