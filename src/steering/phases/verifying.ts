import { afterVerifierFailure, again } from '../attempts/attempt-outcome.ts';
import { afterVerifiers, endWait, noteChecks } from '../attempts/awaiting-checks.ts';
import { waitOrGoOn } from '../attempts/parking.ts';
import { baseMerged } from '../branch/dependencies.ts';
import { verifyForBase } from '../branch/retargeting.ts';
import { extendRun, undoFailed, undone, undoOf, undoRun } from '../branch/undoing.ts';
import { updateDue, updateLater } from '../branch/updating.ts';
import { cancelRun, rejectRun, steerOrQueue } from '../handlers/command-handlers.ts';
import {
  dueAgain,
  ended,
  forgetReview,
  keepLateResult,
  noAgent,
  noQueue,
  noResolution,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { followEdit } from '../handlers/following-edits.ts';
import { interruptRun, pause } from '../handlers/pausing.ts';
import { raiseBudget } from '../handlers/raising.ts';
import { holdsLease, ignored, next, nothing, type Row, type Step } from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';
import { answerThen } from '../questions/answering.ts';
import { isAwaitingChecks } from '../shapes/standing.ts';
import type { EventOf } from '../state/event.ts';
import type { In } from '../state/state.ts';
import { lost } from './working.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    verifying: Verifying | AwaitingChecks;
  }
}

/** The agent has exited; the repository's verifiers check its commit. */
export const verifying: Row<'verifying'> = {
  kind: 'in_progress',
  about: 'verification',
  commands: {
    steer: steerOrQueue,
    answer: (state, event) => answered({ ...state, attempts_used: 0 }, event),
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    undo: undoRun,
    update: updateLater,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    verified: (state, event) =>
      holdsLease(state, event.hold) && event.head === state.head
        ? afterVerifiers(state, event)
        : keepLateResult(state, event),
    work_failed: (state, event) =>
      holdsLease(state, event.hold) ? verifiersFailed(state, event) : keepLateResult(state, event),
    checks_reported: noteChecks,
    base_moved: ignored,
    base_merged: (state, event) =>
      holdsLease(state, event.hold) && event.head_before === state.head && updateDue(state) !== undefined
        ? baseMerged(state, event)
        : keepLateResult(state, event),
    ...noResolution,
    ...noQueue,
    ci_started: startCi,
    undone: (state, event) => undone(state, event) ?? keepLateResult(state, event),
    hold_lost: lose,
    comment_changed: followEdit,
    pushed: verifyPush,
    retargeted: (state, event) => goingOn(state, verifyForBase(state.standing.work)(state, event)),
    branch_deleted: pauseWithoutBranch('verify_head'),
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault(dueAgain),
    work_finished: keepLateResult,
    work_held: keepLateResult,
    work_parked: keepLateResult,
    attempt_started: ignored,
    ...noAgent,
    reopened: ignored,
    timer_due: endWait,
    finish_checked: ignored,
  },
};

/** What is found of work that its agent goes on with is of no use. */
const answered = answerThen(waitOrGoOn);

/** The empty commit is pushed together with this record; what was approved before it has to be again. */
function startCi(state: In<'verifying'>, event: EventOf<'ci_started'>): Step {
  const { hold, head_before, head, at } = event;
  const { standing } = state;
  const isDue = holdsLease(state, hold) && head_before === state.head;
  if (!isDue || isAwaitingChecks(standing) || !standing.starts_ci) return keepLateResult(state, event);
  const { starts_ci: _, ...verifying } = standing;
  const changed = { head, head_at: at, shown: null, approvals: [], standing: verifying };
  return { ...next(state, changed, `Let CI run on ${shortSha(head)}`), takes_code: true };
}

function lose(state: In<'verifying'>, event: EventOf<'hold_lost'>): Step {
  const { standing } = state;
  if (!holdsLease(state, event.hold) || isAwaitingChecks(standing)) return nothing;
  const { work } = standing;
  return goingOn(state, again(state, event, { ...lost, work }));
}

/** The same work is due again, with what comes before the verifiers. */
function goingOn({ standing }: In<'verifying'>, step: Step): Step {
  if (step === 'nothing' || 'refused' in step) return step;
  const { state } = step;
  if (isAwaitingChecks(standing)) return step;
  const { phase: _, hold, work, ...before } = standing;
  const isDue = state.standing.phase === 'queued' && state.standing.work === work;
  if (!isDue || state.iteration !== hold.iteration) return step;
  return { ...step, state: { ...state, standing: { phase: 'queued', work, ...before } } };
}

/** Without the commit that it was to be about, the head is verified as it is. */
function verifiersFailed(state: In<'verifying'>, event: EventOf<'work_failed'>): Step {
  if (undoOf(state) !== undefined) return undoFailed(state, event, event.failure.message);
  return afterVerifierFailure(state, event, state.standing.work);
}
