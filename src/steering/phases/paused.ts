import { cancelRun, queueSteer, rejectRun } from '../command-handlers.ts';
import { dueAgain, ended, forgetReview, noAttempt, noteHead, stopForOurFault } from '../event-handlers.ts';
import { answerPaused, pauseAgain, pausedWithoutBranch, resume } from '../holding/pausing.ts';
import { extendRun } from '../holding/undoing.ts';
import { modelAnswers } from '../parking/parking.ts';
import { heldWork } from '../permission/held-work.ts';
import { noteBase } from '../retargeting.ts';
import { followEdit } from '../steers/following-edits.ts';
import { ignored, type Row } from '../step.ts';

declare module '../standing.ts' {
  interface Standings {
    paused: Paused;
  }
}

/** Nothing happens until someone says /resume, or the model answers again; steers wait. */
export const paused: Row<'paused'> = {
  kind: 'stopped',
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
    run_failed: stopForOurFault((standing) =>
      dueAgain({ work: standing.resumes_with, held: heldWork({ standing }) }),
    ),
    branch_deleted: pausedWithoutBranch,
    reopened: ignored,
    timer_due: modelAnswers,
    finish_checked: ignored,
  },
};
