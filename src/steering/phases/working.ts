import { afterFailure, again, interruptFor, nextIteration } from '../attempts/attempt-outcome.ts';
import { endStage } from '../attempts/between-stages.ts';
import { answerOnly, ask, awaitAnswers, endQuestion } from '../attempts/questions.ts';
import { leftBy, park, parkLost } from '../attempts/stopped-agent.ts';
import { baseChanged } from '../branch/changed-base.ts';
import {
  baseMerged,
  extendRun,
  undoRun,
  updated,
  updateLater,
  withBaseMerged,
} from '../branch/undo-and-update.ts';
import {
  cancelRun,
  ending,
  followEditAtWork,
  rejectRun,
  steerAgent,
  told,
  withoutAgent,
} from '../handlers/command-handlers.ts';
import {
  dueAgain,
  ended,
  keepLateResult,
  keepsWork,
  noQueue,
  noResolution,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
} from '../handlers/event-handlers.ts';
import { pause, withoutAttempt } from '../handlers/pausing.ts';
import { interruptRun, raiseBudget } from '../handlers/resolutions.ts';
import { withReport } from '../iterations/authorship.ts';
import {
  attemptRecord,
  currentIteration,
  madeBy,
  stageAfter,
  stageOf,
  updateIteration,
  wayBack,
} from '../iterations/iteration.ts';
import { observed, withRan } from '../iterations/observations.ts';
import { withCost, withTime } from '../iterations/spending.ts';
import { holdsLease, ignored, next, nothing, type Row, type Step } from '../iterations/step.ts';
import { holdForPermission, landingFailed } from '../permission/held-work.ts';
import { allowCall, askForCall, denyCall, lapse } from '../permission/permitted-calls.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { Failure, Work } from '../shapes/attempt-result.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    working: Working;
  }
}

/** An agent has the lease and works; what people say meanwhile is told to it, or waits for its end. */
export const working: Row<'working'> = {
  kind: 'in_progress',
  about: ({ held }) => (held === undefined ? 'attempt' : 'held_work'),
  commands: {
    answer: answerOnly,
    steer: steerAgent,
    reject: ending(rejectRun),
    cancel: ending(cancelRun),
    allow: allowCall,
    deny: denyCall,
    budget: raiseBudget,
    undo: ending(undoRun),
    update: updateLater,
    pause: ending(pause),
    interrupt: ending(interruptRun),
    extend: extendRun,
  },
  events: {
    work_finished: ending(takeWork),
    work_held: ending(holdWork),
    work_failed: ending(workFailed),
    work_parked: parkWork,
    permission_requested: askForCall,
    permission_lapsed: lapse,
    question_asked: ask,
    question_withdrawn: endQuestion,
    steer_told: told,
    hold_lost: lose,
    comment_changed: followEditAtWork,
    pushed: noteHead,
    retargeted: baseChanged,
    branch_deleted: ending((state, event) =>
      pauseWithoutBranch('attempt')({ ...state, ...withoutAttempt(state) }, event),
    ),
    closed: ending(ended),
    run_failed: ending(stopForOurFault(({ held }) => dueAgain({ work: 'attempt', held }))),
    verified: keepLateResult,
    ci_started: keepLateResult,
    undone: keepLateResult,
    attempt_started: ignored,
    checks_reported: ignored,
    base_moved: ignored,
    base_merged: (state, event) =>
      holdsLease(state, event.hold) && event.head_before === state.head
        ? baseMerged(state, event)
        : keepLateResult(state, event),
    ...noResolution,
    ...noQueue,
    review_dismissed: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};

/** Why work is handed to another process when its lease is lost. */
export const lost = { because: 'the process doing the work was lost' };

/**
 * Whoever says `--now` wants no more of the work that was lost. What its agent asked is still to be answered.
 */
function lose(state: In<'working'>, event: EventOf<'hold_lost'>): Step {
  if (!holdsLease(state, event.hold)) return nothing;
  const { telling, held } = state.standing;
  const counted = withRan(withCost(state, event.cost ?? {}), event.ran);
  const after = telling === undefined ? counted : withoutAgent(counted, event);
  if (telling !== undefined && after.queue.length > 0) return nextIteration(after, event);
  const waits = after.standing.asking !== undefined || (after.questions ?? []).length > 0;
  if (waits && held === undefined) return parkLost(after, event);
  const uncountedAfter = { ...withoutAgent(after, event), ...withoutAttempt(after) };
  return again(uncountedAfter, event, { ...lost, work: 'attempt', held });
}

/**
 * What was on its way to the agent begins the next iteration; whoever waits for the model asks for a call
 * again.
 */
function parkWork(state: In<'working'>, event: EventOf<'work_parked'>): Step {
  if (!holdsLease(state, event.hold) || state.standing.held !== undefined)
    return keepLateResult(state, event);
  const ends = state.standing.telling !== undefined || event.because === 'rate_limit';
  return park(ends ? withoutAgent(state, event) : state, event);
}

function takeWork(state: In<'working'>, event: EventOf<'work_finished'>): Step {
  if (!holdsLease(state, event.hold)) return keepLateResult(state, event);
  const { work } = event;
  // What held work cost was counted when it was held.
  const seen = observed(state, event);
  const counted = state.standing.held === undefined ? counting(seen, work) : seen;
  const failure = failureOf(state, work);
  if (failure !== undefined) {
    return afterFailure(counted, event, { ...counted.worked, failure, duration_s: work.duration_s });
  }
  const merged = work.merges === undefined ? counted : merging(counted);
  const following = stageAfter(state, stageOf(state));
  if (following !== undefined) return endStage(merged, event, following);
  return changedNothing(state, event) ? nothingToApprove(merged, event) : verifyWork(merged, event);
}

/** The base that was to be merged is part of the work. */
function merging({ merges_base: _, ...state }: In<'working'>): In<'working'> {
  // The base that its agent was given, for people may have changed it meanwhile.
  const { update = state.run } = currentIteration(state);
  return { ...state, ...withBaseMerged(state, update.base), iterations: updated(state) };
}

/** The work is not pushed to the branch, but its commit is kept, together with this record. */
function holdWork(state: In<'working'>, event: EventOf<'work_held'>): Step {
  if (!holdsLease(state, event.hold)) return keepLateResult(state, event);
  const { work, hits, kept, refusal, at: held_at } = event;
  const counted = counting(observed(state, event), work);
  const failure = failureOf(state, work);
  if (failure !== undefined) {
    const { duration_s } = work;
    return afterFailure(counted, event, { ...counted.worked, failure, gates: hits, duration_s });
  }
  return {
    ...holdForPermission(counted, event, {
      work,
      hits,
      kept,
      held_at,
      ...(refusal !== undefined && { refusal }),
    }),
    takes_code: true,
  };
}

function workFailed(state: In<'working'>, event: EventOf<'work_failed'>): Step {
  if (!holdsLease(state, event.hold)) return keepLateResult(state, event);
  const { held } = state.standing;
  const seen = withRan(withCost(observed(state, event), event.cost ?? {}), event.ran);
  // The time of held work was counted when it was held.
  if (held !== undefined) return landingFailed(seen, event, held);
  const step = afterFailure({ ...withTime(seen, event.duration_s), ...leftBy(event, state.parked) }, event, {
    ...event,
    gates: event.ran,
  });
  return keepsWork(event) ? { ...step, takes_code: true } : step;
}

/** What the work cost and how long it took; it has taken notice of what was set aside. */
function counting(state: In<'working'>, work: Work): In<'working'> {
  const { set_aside: _, parked: __, ...rest } = withRan(withCost(state, work.cost), work.ran);
  return { ...withTime(rest, work.duration_s), worked_s: work.duration_s, worked: madeBy(work) };
}

/** Work counts as failed if it was built on an outdated head or the agent itself gave up. */
function failureOf(state: State, { head_before, report }: Work): Failure | undefined {
  if (report.status === 'cannot') return { kind: 'cannot', message: report.summary };
  if (head_before === state.head) return undefined;
  const message = `built on ${shortSha(head_before)}, but the head is ${shortSha(state.head)}`;
  return { kind: 'branch_moved', message };
}

function verifyWork(state: In<'working'>, { work, at }: EventOf<'work_finished'>): Step {
  const shown = { head: work.head, head_at: at, shown: null, approvals: [] };
  const moved = work.head === state.head ? {} : { ...withReport(state), ...shown };
  const changed: Partial<State> = {
    ...moved,
    ...(work.skips_ci && { ci_skipped: work.head }),
    report: work.report,
    // Whatever comes next of the agent is about the work.
    ...(state.settings.stages && { stage: wayBack(state.settings).name }),
    standing: { phase: 'verifying', hold: state.standing.hold, work: 'verify_attempt' },
  };
  const subject = `Attempt ${state.attempt} of iteration ${state.iteration}: ${work.changes.summary}`;
  return { ...next(state, changed, subject), takes_code: true };
}

/** Iteration 0 is done and there is nothing to review. */
function changedNothing(state: State, { work }: EventOf<'work_finished'>): boolean {
  if (state.iteration > 0 || hadCommits(state) || work.report.status !== 'done') return false;
  return work.head === state.run.head && state.queue.length === 0;
}

/** Whether the branch may have commits that no attempt in this ledger made. */
function hadCommits({ run, restored }: State): boolean {
  return run.adopted || restored !== undefined;
}

/** Its own words say why; whoever reads them can say how to go on. */
function nothingToApprove(state: State, event: EventOf<'work_finished'>): Step {
  const { report } = event.work;
  const output = report.summary;
  const reason = output === '' ? 'the agent changed nothing, and did not say why' : output;
  const failure = { kind: 'nothing_changed', message: reason } as const;
  const { duration_s } = event.work;
  const record = attemptRecord(state, { outcome: 'failed', failure, ...state.worked, duration_s });
  const iterations = updateIteration(state, { output });
  const seen = { ...state, report, iterations, attempts: [...state.attempts, record] };
  const waits = awaitAnswers({ ...seen, attempts_used: 0 }, event);
  if (waits !== undefined) return waits;
  return interruptFor(seen, event, { type: 'nothing_changed', reason });
}
