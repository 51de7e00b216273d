import { approve } from '../approval/approving.ts';
import { noteMovedBase } from '../approval/moved-base.ts';
import { judgeAgain } from '../ci/checked-again.ts';
import { cancelRun, rejectRun, retryAttempt, steerNow, verifyAgain } from '../command-handlers.ts';
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
import { verifyForBase } from '../retargeting.ts';
import { raiseAndGoOn } from '../spending/raising.ts';
import { ignored, type Row } from '../step.ts';
import { timerDue } from '../timers/deadlines.ts';

/** The run cannot make progress on its own: a human decides how to continue. */
export const awaitingResolution: Row<'awaiting_resolution'> = {
  commands: {
    retry: retryAttempt,
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseAndGoOn,
    verify: verifyAgain,
    undo: undoRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    checks_reported: judgeAgain,
    base_moved: noteMovedBase,
    pushed: verifyPush,
    retargeted: verifyForBase('verify_head'),
    branch_deleted: pauseWithoutBranch('attempt'),
    review_dismissed: forgetReview,
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault,
    comment_changed: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};
