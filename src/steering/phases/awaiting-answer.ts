import { cancelRun, rejectRun, steerNow } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
} from '../event-handlers.ts';
import { interruptRun, pause } from '../holding/pausing.ts';
import { extendRun, undoRun } from '../holding/undoing.ts';
import { answerAsked } from '../interactions/asked.ts';
import { waitOrGoOn } from '../parking/parking.ts';
import { answerThen } from '../questions/answering.ts';
import { noteBase } from '../retargeting.ts';
import { raiseBudget } from '../spending/raising.ts';
import { type AskingRow, ignored } from '../step.ts';
import { timerDue } from '../timers/deadlines.ts';

declare module '../standing.ts' {
  interface Standings {
    awaiting_answer: AwaitingAnswer;
  }
}

/** The agent asked something and was stopped: it goes on with the answer, whenever that comes. */
export const awaitingAnswer: AskingRow<'awaiting_answer'> = {
  kind: 'asks_midway',
  about: 'stopped_agent',
  request: answerAsked,
  asked: ({ question }) => question?.question ?? '',
  commands: {
    answer: answerThen(waitOrGoOn),
    steer: steerNow,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    undo: undoRun,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    // What it left may not fit on it any more, which the agent is told.
    pushed: noteHead,
    retargeted: noteBase,
    branch_deleted: pauseWithoutBranch('attempt'),
    review_dismissed: forgetReview,
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('attempt'),
    comment_changed: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};
