import { cancelRun, rejectRun, steerNow } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  holdWithoutBranch,
  keepLateResult,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { deadlineAfter } from '../interactions.ts';
import { ignored, type Row, type Saying } from '../row.ts';
import type { In } from '../state.ts';
import { accepted, next, type Step } from '../step.ts';

/** Nobody came before the review timer fired: parked as a draft, which costs nothing to keep. */
export const timedOut: Row<'timed_out'> = {
  says: { resume, steer: steerNow, reject: rejectRun, cancel: cancelRun },
  hears: {
    pushed: verifyPush,
    branch_deleted: (state, event) => {
      const asked = state.standing.before.phase;
      const resumes_with = asked === 'awaiting_resolution' ? 'attempt' : 'verify_head';
      return holdWithoutBranch(resumes_with)(state, event);
    },
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    work_finished: keepLateResult,
    work_failed: keepLateResult,
    verified: keepLateResult,
    comment_changed: ignored,
    attempt_started: ignored,
    hold_lost: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};

/** Asks again what was asked before, with a clock that starts anew. */
function resume(state: In<'timed_out'>, said: Saying<'resume'>): Step {
  const standing = { ...state.standing.before, deadline: deadlineAfter(state, said.at) };
  return accepted(next(state, { standing }, `Resumed by ${said.by.login}`), said);
}
