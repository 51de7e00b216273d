import { approve } from '../approving.ts';
import { cancelRun, rejectRun, retryAttempt, steerNow, verifyAgain } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  holdWithoutBranch,
  keepLateResult,
  parkOnTimeout,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';

/** The run cannot make progress on its own: a human decides how to continue. */
export const awaitingResolution: Row<'awaiting_resolution'> = {
  commands: {
    retry: retryAttempt,
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    verify: verifyAgain,
  },
  events: {
    pushed: verifyPush,
    branch_deleted: holdWithoutBranch('attempt'),
    review_dismissed: forgetReview,
    closed: ended,
    timer_due: parkOnTimeout,
    run_failed: stopForOurFault,
    work_finished: keepLateResult,
    work_failed: keepLateResult,
    verified: keepLateResult,
    comment_changed: ignored,
    attempt_started: ignored,
    hold_lost: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};
