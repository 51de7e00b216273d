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
import { stageAsked } from '../interactions/asked.ts';
import { noteBase } from '../retargeting.ts';
import { raiseBudget } from '../spending/raising.ts';
import { approveStage } from '../stages/showing.ts';
import { type AskingRow, ignored } from '../step.ts';
import { timerDue } from '../timers/deadlines.ts';

declare module '../standing.ts' {
  interface Standings {
    awaiting_stage: AwaitingStage;
  }
}

/** People see what a stage came to, such as a plan, before the next one begins. */
export const awaitingStage: AskingRow<'awaiting_stage'> = {
  kind: 'asks_midway',
  about: 'stage',
  request: stageAsked,
  asked: () => 'May the next stage begin?',
  commands: {
    approve: approveStage,
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
    // The next stage begins with it, and the agent sees it.
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
