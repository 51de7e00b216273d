import { answerThen } from '../attempts/questions.ts';
import { waitOrGoOn } from '../attempts/stopped-agent.ts';
import { baseChanged } from '../branch/changed-base.ts';
import { extendRun, undoRun } from '../branch/undo-and-update.ts';
import { cancelRun, rejectRun, steerNow } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { interruptRun, raiseBudget } from '../handlers/resolutions.ts';
import { answerAsked } from '../iterations/requests-for-programs.ts';
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
    retargeted: baseChanged,
    branch_deleted: pauseWithoutBranch('attempt'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('attempt'),
    comment_changed: ignored,
  },
};
