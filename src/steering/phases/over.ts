import { keepLateResult, pauseReopened } from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';

/** What every ended run makes of facts: a result is kept, a reopened pull request waits, the rest is past. */
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
} satisfies Row<'done' | 'rejected' | 'cancelled'>['hears'];
