import { judgeAgain } from '../attempts/checked-again.ts';
import { noteMovedBase } from '../branch/moved-base.ts';
import { noteBase, verifyForBase } from '../branch/retargeting.ts';
import { extendRun, undoRun } from '../branch/undoing.ts';
import { updateRun } from '../branch/updating.ts';
import { approve } from '../handlers/approving.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  forgetReview,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { raiseAndGoOn } from '../handlers/raising.ts';
import { abandonTask, retryTask, spawningIn, spawnTasks } from '../handlers/resolving.ts';
import { overtaken, replaced } from '../handlers/spawned.ts';
import { resolutionAsked } from '../iterations/asked.ts';
import { type AskingRow, ignored, nothing, type Step } from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
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
