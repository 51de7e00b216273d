import { approveStage } from '../attempts/between-stages.ts';
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
import { stageAsked } from '../iterations/requests-for-programs.ts';
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
    retargeted: baseChanged,
    branch_deleted: pauseWithoutBranch('attempt'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('attempt'),
    comment_changed: ignored,
  },
};
