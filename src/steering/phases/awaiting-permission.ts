import { branchMoved } from '../attempts/attempt-outcome.ts';
import { answerOnly } from '../attempts/questions.ts';
import { baseChanged } from '../branch/changed-base.ts';
import { extendRun, undoRun } from '../branch/undo-and-update.ts';
import { cancelRun, rejectRun, steerNow } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  isNews,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
  withHead,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { raiseBudget, retryTask } from '../handlers/resolutions.ts';
import { settingAside, settledButQuestions } from '../iterations/interactions.ts';
import { permissionAsked } from '../iterations/requests-for-programs.ts';
import { type AskingRow, ignored, nothing, type Step } from '../iterations/step.ts';
import { allowHeld, denyHeld } from '../permission/held-work.ts';
import { callIn } from '../permission/permitted-calls.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    awaiting_permission: AwaitingPermission;
  }
}

/**
 * Work is held and not on the branch, or an agent was stopped before a tool call: a human decides about it.
 */
export const awaitingPermission: AskingRow<'awaiting_permission'> = {
  kind: 'asks_midway',
  about: (standing) => ('held' in standing ? 'held_work' : 'stopped_agent'),
  request: permissionAsked,
  asked: ({ asked }) =>
    asked === undefined
      ? 'May the work be pushed, which lets the CI of the repository run it?'
      : `May the agent do this: ${callIn(asked)}?`,
  commands: {
    allow: allowHeld,
    deny: denyHeld,
    answer: answerOnly,
    steer: steerNow,
    retry: retryTask,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    undo: undoRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: startOver,
    retargeted: baseChanged,
    branch_deleted: pauseWithoutBranch('attempt'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('attempt'),
    review_dismissed: ignored,
    comment_changed: ignored,
  },
};

/** Held work does not fit on someone else's commit, so an attempt starts from that one. */
function startOver(state: In<'awaiting_permission'>, event: EventOf<'pushed'>): Step {
  if (!isNews(state, event)) return nothing;
  if ('call' in state.standing) return noteHead(state, event);
  const { work } = state.standing.held;
  const moved: State = {
    ...withHead(state, event),
    ...settledButQuestions(state, event, { by: event.by, how: 'pushed' }),
    ...settingAside(state),
  };
  return branchMoved(moved, event, work);
}
