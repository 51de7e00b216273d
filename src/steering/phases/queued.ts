import { cancelRun, rejectRun, steerOrQueue } from '../command-handlers.ts';
import type { EventOf } from '../event.ts';
import {
  ended,
  followEdit,
  forgetReview,
  noteHead,
  pauseWithoutBranch,
  pushedByOthers,
  stopForOurFault,
  verifyPush,
} from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';
import type { In, State } from '../state.ts';
import { next, nothing, type Step } from '../step.ts';
import { noAttempt } from './no-attempt.ts';

/** Work waits for an engine to take it. */
export const queued: Row<'queued'> = {
  commands: { steer: steerOrQueue, reject: rejectRun, cancel: cancelRun },
  events: {
    ...noAttempt,
    attempt_started: take,
    comment_changed: followEdit,
    // The head waiting to be verified is now someone else's commit, not an attempt's.
    pushed: (state, event) =>
      state.standing.work === 'attempt' ? noteHead(state, event) : verifyPush(state, event),
    branch_deleted: (state, event) => pauseWithoutBranch(state.standing.work)(state, event),
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};

/** The first holder to ask for the attempt that is due gets it; all others find it taken. */
function take(state: In<'queued'>, { hold, head, at }: EventOf<'attempt_started'>): Step {
  const { work } = state.standing;
  const due = work === 'attempt' ? state.attempt + 1 : state.attempt;
  if (hold.iteration !== state.iteration || hold.attempt !== due) return nothing;
  const moved: Partial<State> =
    head === state.head
      ? {}
      : // Our own commits land together with their record, so this one is somebody else's.
        { head, head_at: at, shown: null, report: null, approvals: [], ...pushedByOthers(state) };
  if (work !== 'attempt') {
    const standing = { phase: 'verifying', hold, work } as const;
    return next(state, { ...moved, standing }, `Verify ${head.slice(0, 7)}`);
  }
  const standing = { phase: 'working', hold } as const;
  const counted = { attempt: due, attempts_used: state.attempts_used + 1 };
  return next(
    state,
    { ...moved, ...counted, standing },
    `Start attempt ${due} of iteration ${state.iteration}`,
  );
}
