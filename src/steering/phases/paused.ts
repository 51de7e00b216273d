import { modelAnswers } from '../attempts/stopped-agent.ts';
import { baseChanged } from '../branch/changed-base.ts';
import { extendRun } from '../branch/undo-and-update.ts';
import { cancelRun, followEdit, queueSteer, rejectRun } from '../handlers/command-handlers.ts';
import { dueAgain, ended, noAttempt, noteHead, stopForOurFault } from '../handlers/event-handlers.ts';
import { answerPaused, pauseAgain, pausedWithoutBranch, resume } from '../handlers/pausing.ts';
import { heldWork } from '../iterations/interactions.ts';
import type { Row } from '../iterations/step.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    paused: Paused;
  }
}

/** Nothing happens until someone says /resume, or the model answers again; steers wait. */
export const paused: Row<'paused'> = {
  kind: 'stopped',
  commands: {
    resume,
    answer: answerPaused,
    steer: queueSteer,
    reject: rejectRun,
    cancel: cancelRun,
    pause: pauseAgain,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: baseChanged,
    comment_changed: followEdit,
    closed: ended,
    run_failed: stopForOurFault((standing) =>
      dueAgain({ work: standing.resumes_with, held: heldWork({ standing }) }),
    ),
    branch_deleted: pausedWithoutBranch,
    timer_due: modelAnswers,
  },
};
