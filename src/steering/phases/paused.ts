import { ended, keepLateResult, noteHead, stopForOurFault } from '../facts.ts';
import { ignored, type Row } from '../row.ts';
import { cancelRun, goOnWith, rejectRun } from '../sayings.ts';

/** Held until somebody with the right says /resume. */
export const paused: Row<'paused'> = {
  says: {
    resume: (state, said) => goOnWith(state, said, state.standing.resumes_with),
    reject: rejectRun,
    cancel: cancelRun,
  },
  hears: {
    pushed: noteHead,
    closed: ended,
    run_failed: stopForOurFault,
    work_finished: keepLateResult,
    work_failed: keepLateResult,
    verified: keepLateResult,
    branch_deleted: ignored,
    reopened: ignored,
    comment_changed: ignored,
    attempt_started: ignored,
    review_dismissed: ignored,
    hold_lost: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
