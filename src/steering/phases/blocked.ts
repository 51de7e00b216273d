import { baseChanged } from '../branch/changed-base.ts';
import { beginAllTheSame, dependenciesRead } from '../branch/task-dependencies.ts';
import { extendRun } from '../branch/undo-and-update.ts';
import { cancelRun, followEdit, queueSteer, rejectRun } from '../handlers/command-handlers.ts';
import {
  ended,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
} from '../handlers/event-handlers.ts';
import { retryTask } from '../handlers/resolutions.ts';
import { ignored, type Row, type Step } from '../iterations/step.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    blocked: Blocked;
  }
}

/** What the task depends on is not merged yet. */
export const blocked: Row<'blocked'> = {
  kind: 'stopped',
  commands: {
    resume: beginAllTheSame,
    retry: retryTask,
    steer: queueSteer,
    reject: stopping(rejectRun),
    cancel: stopping(cancelRun),
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    dependencies_read: dependenciesRead,
    pushed: noteHead,
    retargeted: baseChanged,
    branch_deleted: stopping(pauseWithoutBranch('attempt')),
    comment_changed: followEdit,
    closed: stopping(ended),
    run_failed: stopping(stopForOurFault('attempt')),
    timer_due: ignored,
  },
};

/** Whatever lets it go on later, it still waits for the same. */
function stopping<E>(
  stop: (state: In<'blocked'>, event: E) => Step,
): (state: In<'blocked'>, event: E) => Step {
  return (state, event) => stop({ ...state, waits_for: state.standing.on }, event);
}
