import { modelAnswers } from '../attempts/parking.ts';
import { noteBase } from '../branch/retargeting.ts';
import { extendRun } from '../branch/undoing.ts';
import { cancelRun, queueSteer, rejectRun } from '../handlers/command-handlers.ts';
import {
  dueAgain,
  ended,
  forgetReview,
  noAttempt,
  noteHead,
  stopForOurFault,
} from '../handlers/event-handlers.ts';
import { followEdit } from '../handlers/following-edits.ts';
import { answerPaused, pauseAgain, pausedWithoutBranch, resume } from '../handlers/pausing.ts';
import { heldWork } from '../iterations/held-work.ts';
import { ignored, type Row } from '../iterations/step.ts';

declare module '../shapes/standing.ts' {
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
