import { dismissConcern } from '../approval/dismissing.ts';
import { judgeAgain } from '../attempts/checked-again.ts';
import { noteMovedBase } from '../branch/moved-base.ts';
import { verifyForBase } from '../branch/retargeting.ts';
import { extendRun, undoRun } from '../branch/undoing.ts';
import { updateRun } from '../branch/updating.ts';
import { approve } from '../handlers/approving.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { interruptRun, pause } from '../handlers/pausing.ts';
import { raiseBudget } from '../handlers/raising.ts';
import { retryTask, splitTask } from '../handlers/resolving.ts';
import { approvalAsked } from '../iterations/asked.ts';
import { type AskingRow, ignored } from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';

declare module '../shapes/standing.ts' {
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
