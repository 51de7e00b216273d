import { approveStage } from '../attempts/between-stages.ts';
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
import { stageAsked } from '../iterations/interactions.ts';
import { type AskingRow, ignored } from '../iterations/step.ts';

declare module '../shapes/standing.ts' {
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
