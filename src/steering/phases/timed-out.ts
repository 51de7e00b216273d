import { answerOnly, answerThen } from '../attempts/questions.ts';
import { waitOrGoOn } from '../attempts/stopped-agent.ts';
import { baseChanged, verifyForBase } from '../branch/changed-base.ts';
import { extendRun, undoRun, updateTimedOut } from '../branch/undo-and-update.ts';
import { cancelRun, rejectRun, steerNow } from '../handlers/command-handlers.ts';
import {
  ended,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { abandonTask, retryTask, spawnTasks } from '../handlers/resolutions.ts';
import { deadlineAfter, waitingAnew } from '../iterations/interactions.ts';
import {
  accepted,
  type CommandEventOf,
  ignored,
  next,
  type Row,
  refuse,
  type Step,
} from '../iterations/step.ts';
import { goesOnWithAgent } from '../shapes/standing.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    timed_out: { phase: 'timed_out'; before: AskingHuman };
  }
}

/** The review timer fired before anyone responded; the pull request stays a draft until resumed. */
export const timedOut: Row<'timed_out'> = {
  kind: 'stopped',
  commands: {
    resume,
    answer: (state, event) => (isAsking(state) ? answerAndGoOn : answerOnly)(state, event),
    steer: steerNow,
    retry: resolving('retry', retryTask),
    spawn: resolving('spawn', spawnTasks),
    abandon: resolving('abandon', abandonTask),
    reject: rejectRun,
    cancel: cancelRun,
    undo: undoRun,
    update: updateTimedOut,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: (state, event) => (goesOnWithAgent(state.standing) ? noteHead : verifyPush)(state, event),
    retargeted: (state, event) =>
      (goesOnWithAgent(state.standing) ? baseChanged : verifyForBase('verify_head'))(state, event),
    branch_deleted: (state, event) => {
      const asked = state.standing.before.phase;
      const resumes_with = asked === 'awaiting_approval' ? 'verify_head' : 'attempt';
      return pauseWithoutBranch(resumes_with)(state, event);
    },
    closed: ended,
    run_failed: stopForOurFault((standing) => ({
      resumes_with: goesOnWithAgent(standing) ? 'attempt' : 'verify_head',
    })),
    comment_changed: ignored,
    timer_due: ignored,
  },
};

/** Whoever comes late decides about a failed task all the same. */
function resolving<N extends 'retry' | 'spawn' | 'abandon'>(
  command: N,
  resolve: (state: In<'awaiting_resolution'>, event: CommandEventOf<N>) => Step,
): (state: In<'timed_out'>, event: CommandEventOf<N>) => Step {
  return (state, event) => {
    const { before: standing } = state.standing;
    if (standing.phase !== 'awaiting_resolution')
      return refuse({ why: 'not_now', command, phase: 'timed_out' });
    return resolve({ ...state, standing: waitingAnew(standing, deadlineAfter(state, event.at)) }, event);
  };
}

const answerAndGoOn = answerThen(waitOrGoOn);

/** A tool call that waits, too, is still to be decided about. */
function isAsking({ standing }: In<'timed_out'>): boolean {
  return standing.before.phase === 'awaiting_answer';
}

/** Reopens the same interaction with a new deadline. */
function resume(state: In<'timed_out'>, event: CommandEventOf<'resume'>): Step {
  const { before } = state.standing;
  const standing = waitingAnew(before, deadlineAfter(state, event.at, before));
  return accepted(next(state, { standing }, `Resumed by ${event.by.login}`), event);
}
