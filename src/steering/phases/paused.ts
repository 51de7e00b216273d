import { cancelRun, rejectRun, resumeWith } from '../command-handlers.ts';
import { ended, forgetReview, noteHead, stopForOurFault } from '../event-handlers.ts';
import { followEdit } from '../following-edits.ts';
import { noteBase } from '../retargeting.ts';
import { ignored, type Row } from '../row.ts';
import { noAttempt } from './no-attempt.ts';

/** Waits for /resume from someone with permission. */
export const paused: Row<'paused'> = {
  commands: {
    resume: (state, event) => resumeWith(state, event, state.standing.resumes_with),
    reject: rejectRun,
    cancel: cancelRun,
  },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: noteBase,
    comment_changed: followEdit,
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    branch_deleted: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
