import { approve } from '../approval/approving.ts';
import { judgeAgain } from '../ci/checked-again.ts';
import { cancelRun, rejectRun, retryAttempt, steerNow, verifyAgain } from '../command-handlers.ts';
import { ended, forgetReview, pauseWithoutBranch, stopForOurFault, verifyPush } from '../event-handlers.ts';
import { extendRun } from '../extending.ts';
import { interruptRun } from '../interrupting.ts';
import { pause } from '../pausing.ts';
import { raiseBudget } from '../raising.ts';
import { verifyForBase } from '../retargeting.ts';
import { ignored, type Row } from '../row.ts';
import { timerDue } from '../timers/due-timers.ts';
import { undoRun } from '../undoing.ts';
import { noAttempt } from './no-attempt.ts';

/** A commit is under review, and a human decides. */
export const awaitingApproval: Row<'awaiting_approval'> = {
  commands: {
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    retry: retryAttempt,
    verify: verifyAgain,
    undo: undoRun,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    checks_reported: judgeAgain,
    review_dismissed: forgetReview,
    pushed: verifyPush,
    retargeted: verifyForBase('verify_head'),
    branch_deleted: pauseWithoutBranch('verify_head'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault,
    comment_changed: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};
