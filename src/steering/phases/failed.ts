import { cancelRun, rejectRun, retryWith } from '../command-handlers.ts';
import { ended, followEdit, forgetReview, noteHead, pauseWithoutBranch } from '../event-handlers.ts';
import { noteBase } from '../retargeting.ts';
import { ignored, type Row } from '../row.ts';
import { noAttempt } from './no-attempt.ts';

/** Stopped by an internal error or an unusable configuration; the run is intact and can be retried. */
export const failed: Row<'failed'> = {
  commands: {
    retry: (state, event) => retryWith(state, event, state.standing.resumes_with),
    reject: rejectRun,
    cancel: cancelRun,
  },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: noteBase,
    branch_deleted: pauseWithoutBranch('attempt'),
    comment_changed: followEdit,
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
