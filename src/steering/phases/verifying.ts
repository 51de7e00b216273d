import { afterVerifierFailure, again, judge } from '../attempt-outcome.ts';
import { cancelRun, rejectRun, steerOrQueue } from '../command-handlers.ts';
import {
  ended,
  followEdit,
  forgetReview,
  keepLateResult,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { holdsLease } from '../fence.ts';
import { verifyForBase } from '../retargeting.ts';
import { ignored, type Row } from '../row.ts';
import { nothing } from '../step.ts';
import { lost } from './working.ts';

/** The agent has exited; the repository's verifiers check its commit. */
export const verifying: Row<'verifying'> = {
  commands: { steer: steerOrQueue, reject: rejectRun, cancel: cancelRun },
  events: {
    verified: (state, event) =>
      holdsLease(state, event.hold) && event.head === state.head
        ? judge(state, event, state.standing.work)
        : keepLateResult(state, event),
    work_failed: (state, event) =>
      holdsLease(state, event.hold)
        ? afterVerifierFailure(state, event, state.standing.work)
        : keepLateResult(state, event),
    hold_lost: (state, event) =>
      holdsLease(state, event.hold) ? again(state, event, { ...lost, work: state.standing.work }) : nothing,
    comment_changed: followEdit,
    pushed: verifyPush,
    retargeted: (state, event) => verifyForBase(state.standing.work)(state, event),
    branch_deleted: pauseWithoutBranch('verify_head'),
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    work_finished: keepLateResult,
    work_held: keepLateResult,
    attempt_started: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};
