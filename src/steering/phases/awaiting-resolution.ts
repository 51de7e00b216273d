import { approve } from '../approval/approving.ts';
import { noteMovedBase } from '../approval/moved-base.ts';
import { judgeAgain } from '../ci/checked-again.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../command-handlers.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { pause } from '../holding/pausing.ts';
import { extendRun, undoRun } from '../holding/undoing.ts';
import { updateRun } from '../holding/updating.ts';
import { resolutionAsked } from '../interactions/asked.ts';
import { shortSha } from '../phrases/short-sha.ts';
import { abandonTask, retryTask, spawningIn, spawnTasks } from '../resolving/resolving.ts';
import { overtaken, replaced } from '../resolving/spawned.ts';
import { noteBase, verifyForBase } from '../retargeting.ts';
import { raiseAndGoOn } from '../spending/raising.ts';
import type { In } from '../state.ts';
import { type AskingRow, ignored, nothing, type Step } from '../step.ts';
import { timerDue } from '../timers/deadlines.ts';

declare module '../standing.ts' {
  interface Standings {
    awaiting_resolution: AwaitingResolution;
  }
}

/** The run cannot make progress on its own: a human decides how to continue. */
export const awaitingResolution: AskingRow<'awaiting_resolution'> = {
  kind: 'asks',
  request: resolutionAsked,
  asked: ({ head_sha }) =>
    `The run stopped at ${shortSha(head_sha)} because no attempt succeeded. How should it continue?`,
  commands: {
    retry: retryTask,
    spawn: spawnTasks,
    abandon: abandonTask,
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseAndGoOn,
    verify: verifyAgain,
    undo: undoRun,
    update: updateRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    spawned: replaced,
    checks_reported: unlessSpawning(judgeAgain),
    base_moved: unlessSpawning(noteMovedBase),
    pushed: unlessSpawning(verifyPush, noteHead),
    retargeted: unlessSpawning(verifyForBase('verify_head'), noteBase),
    branch_deleted: unlessSpawning(pauseWithoutBranch('attempt')),
    review_dismissed: forgetReview,
    closed: (state, event) => {
      const spawning = spawningIn(state);
      if (spawning === undefined) return ended(state, event);
      // It ends anyhow; if it does not, the sweep finds that the pull request is closed.
      return event.merged ? overtaken(state, event, spawning.by) : nothing;
    },
    timer_due: unlessSpawning(timerDue),
    run_failed: unlessSpawning(stopForOurFault('verify_head')),
    comment_changed: ignored,
    reopened: ignored,
    finish_checked: ignored,
  },
};

type Standing = In<'awaiting_resolution'>;

/** Nothing else is begun while the runs are made that take the place of this one. */
function unlessSpawning<E>(
  handle: (state: Standing, event: E) => Step,
  meanwhile: (state: Standing, event: E) => Step = ignored,
): (state: Standing, event: E) => Step {
  return (state, event) => (spawningIn(state) === undefined ? handle : meanwhile)(state, event);
}
