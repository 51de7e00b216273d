import { cancelRun, rejectRun, retryWith } from '../command-handlers.ts';
import {
  ended,
  followEdit,
  forgetReview,
  holdWithoutBranch,
  keepLateResult,
  noteHead,
} from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';

/** Stopped by an internal error, reported with a reference; the run is intact and can be retried. */
export const failed: Row<'failed'> = {
  commands: {
    retry: (state, said) => retryWith(state, said, state.standing.resumes_with),
    reject: rejectRun,
    cancel: cancelRun,
  },
  events: {
    pushed: noteHead,
    branch_deleted: holdWithoutBranch('attempt'),
    comment_changed: followEdit,
    review_dismissed: forgetReview,
    closed: ended,
    work_finished: keepLateResult,
    work_failed: keepLateResult,
    verified: keepLateResult,
    run_failed: ignored,
    attempt_started: ignored,
    hold_lost: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
