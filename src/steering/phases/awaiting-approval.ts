import { approve } from '../approval/approving.ts';
import { noteMovedBase } from '../approval/moved-base.ts';
import { judgeAgain } from '../ci/checked-again.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { interruptRun, pause } from '../holding/pausing.ts';
import { extendRun, undoRun } from '../holding/undoing.ts';
import { updateRun } from '../holding/updating.ts';
import { approvalAsked } from '../interactions/asked.ts';
import { shortSha } from '../phrases/short-sha.ts';
import { retryTask, splitTask } from '../resolving/resolving.ts';
import { verifyForBase } from '../retargeting.ts';
import { dismissConcern } from '../reviewing/dismissing.ts';
import { raiseBudget } from '../spending/raising.ts';
import { type AskingRow, ignored } from '../step.ts';
import { timerDue } from '../timers/deadlines.ts';

declare module '../standing.ts' {
  interface Standings {
    awaiting_approval: AwaitingApproval;
  }
}

/** A commit is under review, and a human decides. */
export const awaitingApproval: AskingRow<'awaiting_approval'> = {
  kind: 'asks',
  request: approvalAsked,
  asked: ({ head_sha }) => `Is the work at ${shortSha(head_sha)} ready?`,
  commands: {
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    retry: retryTask,
    spawn: splitTask,
    verify: verifyAgain,
    dismiss: dismissConcern,
    undo: undoRun,
    update: updateRun,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    checks_reported: judgeAgain,
    base_moved: noteMovedBase,
    review_dismissed: forgetReview,
    pushed: verifyPush,
    retargeted: verifyForBase('verify_head'),
    branch_deleted: pauseWithoutBranch('verify_head'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('verify_head'),
    comment_changed: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};
