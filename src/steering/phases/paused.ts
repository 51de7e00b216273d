import { cancelRun, rejectRun, resumeWith } from '../command-handlers.ts';
import {
  ended,
  followEdit,
  forgetReview,
  keepLateResult,
  noteHead,
  stopForOurFault,
} from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';

/** Waits for /resume from someone with permission. */
export const paused: Row<'paused'> = {
  commands: {
    resume: (state, said) => resumeWith(state, said, state.standing.resumes_with),
    reject: rejectRun,
    cancel: cancelRun,
  },
  events: {
    pushed: noteHead,
    comment_changed: followEdit,
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    work_finished: keepLateResult,
    work_failed: keepLateResult,
    verified: keepLateResult,
    branch_deleted: ignored,
    reopened: ignored,
    attempt_started: ignored,
    hold_lost: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
