import { approve } from '../approval/approving.ts';
import { noteMovedBase } from '../approval/moved-base.ts';
import { judgeAgain } from '../ci/checked-again.ts';
import { cancelRun, rejectRun, retryAttempt, steerNow, verifyAgain } from '../command-handlers.ts';
import { ended, forgetReview, pauseWithoutBranch, stopForOurFault, verifyPush } from '../event-handlers.ts';
import { extendRun } from '../holding/extending.ts';
import { interruptRun } from '../holding/interrupting.ts';
import { pause } from '../holding/pausing.ts';
import { undoRun } from '../holding/undoing.ts';
import { verifyForBase } from '../retargeting.ts';
import { ignored, type Row } from '../row.ts';
import { raiseBudget } from '../spending/raising.ts';
import { timerDue } from '../timers/due-timers.ts';
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
    base_moved: noteMovedBase,
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
