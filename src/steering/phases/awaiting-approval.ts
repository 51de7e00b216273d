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

/** A commit is under review, and a human decides. */
export const awaitingApproval: Row<'awaiting_approval'> = {
  commands: {
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    retry: retryAttempt,
    verify: verifyAgain,
  },
  events: {
    review_dismissed: forgetReview,
    pushed: verifyPush,
    branch_deleted: holdWithoutBranch('verify_head'),
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
