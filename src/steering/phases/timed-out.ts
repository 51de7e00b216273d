import { cancelRun, rejectRun, steerNow } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { pause } from '../holding/pausing.ts';
import { extendRun, undoRun } from '../holding/undoing.ts';
import { deadlineAfter, waitingAnew } from '../interactions/interactions.ts';
import { verifyForBase } from '../retargeting.ts';
import type { In } from '../state.ts';
import { accepted, type CommandEventOf, ignored, next, type Row, type Step } from '../step.ts';

/** The review timer fired before anyone responded; the pull request stays a draft until resumed. */
export const timedOut: Row<'timed_out'> = {
  commands: {
    resume,
    steer: steerNow,
    reject: rejectRun,
    cancel: cancelRun,
    undo: undoRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: verifyPush,
    retargeted: verifyForBase('verify_head'),
    branch_deleted: (state, event) => {
      const asked = state.standing.before.phase;
      const resumes_with = asked === 'awaiting_approval' ? 'verify_head' : 'attempt';
      return pauseWithoutBranch(resumes_with)(state, event);
    },
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    comment_changed: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};

/** Reopens the same interaction with a new deadline. */
function resume(state: In<'timed_out'>, event: CommandEventOf<'resume'>): Step {
  const standing = waitingAnew(state.standing.before, deadlineAfter(state, event.at));
  return accepted(next(state, { standing }, `Resumed by ${event.by.login}`), event);
}
