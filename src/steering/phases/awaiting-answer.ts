import { answerThen } from '../attempts/questions.ts';
import { waitOrGoOn } from '../attempts/stopped-agent.ts';
import { noteBase } from '../branch/changed-base.ts';
import { extendRun, undoRun } from '../branch/undo-and-update.ts';
import { cancelRun, rejectRun, steerNow } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
} from '../handlers/event-handlers.ts';
import { raiseBudget } from '../handlers/interrupts.ts';
import { interruptRun, pause } from '../handlers/pausing.ts';
import { answerAsked } from '../iterations/interactions.ts';
import { type AskingRow, ignored } from '../iterations/step.ts';

declare module '../shapes/standing.ts' {
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
