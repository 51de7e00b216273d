import { cancelRun, queueSteer, rejectRun } from '../command-handlers.ts';
import { ended, forgetReview, noAttempt, noteHead, stopForOurFault } from '../event-handlers.ts';
import { answerPaused, pauseAgain, pausedWithoutBranch, resume } from '../holding/pausing.ts';
import { extendRun } from '../holding/undoing.ts';
import { modelAnswers } from '../parking/parking.ts';
import { noteBase } from '../retargeting.ts';
import { followEdit } from '../steers/following-edits.ts';
import { ignored, type Row } from '../step.ts';

/** Nothing happens until someone says /resume, or the model answers again; steers wait. */
export const paused: Row<'paused'> = {
  commands: {
    resume,
    answer: answerPaused,
    steer: queueSteer,
    reject: rejectRun,
    cancel: cancelRun,
    pause: pauseAgain,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: noteBase,
    comment_changed: followEdit,
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    branch_deleted: pausedWithoutBranch,
    reopened: ignored,
    timer_due: modelAnswers,
    finish_checked: ignored,
  },
};
