import type { EventOf, HoldName } from '../event.ts';
import { ended, followEdit, holdWithoutBranch, keepLateResult, noteHead, stopForOurFault } from '../facts.ts';
import { afterFailure, againAfterLoss } from '../landing.ts';
import { currentIteration, noting } from '../rounds.ts';
import { ignored, type Row } from '../row.ts';
import { cancelRun, rejectRun, steerOrQueue } from '../sayings.ts';
import type { In, State } from '../state.ts';
import { next, nothing, type Step } from '../step.ts';

/** An agent is at work. */
export const working: Row<'working'> = {
  says: { steer: steerOrQueue, reject: rejectRun, cancel: cancelRun },
  hears: {
    work_finished: takeWork,
    work_failed: (state, event) =>
      holds(state, event.hold) ? afterFailure(state, event) : keepLateResult(state, event),
    hold_lost: (state, event) =>
      holds(state, event.hold) ? againAfterLoss(uncounted(state), event) : nothing,
    comment_changed: followEdit,
    pushed: noteHead,
    branch_deleted: (state, event) => holdWithoutBranch('attempt')(uncounted(state), event),
    closed: ended,
    run_failed: stopForOurFault,
    verified: keepLateResult,
    attempt_started: ignored,
    review_dismissed: ignored,
    reopened: ignored,
    timer_due: ignored,
    finish_checked: ignored,
  },
};

/** Whether a result comes from the attempt that is current: the fence against everybody else. */
export function holds(state: In<'working' | 'verifying'>, hold: HoldName): boolean {
  const current = state.standing.hold;
  return (
    current.holder === hold.holder && current.attempt === hold.attempt && current.iteration === hold.iteration
  );
}

function takeWork(state: In<'working'>, event: EventOf<'work_finished'>): Step {
  if (!holds(state, event.hold)) return keepLateResult(state, event);
  const { work } = event;
  if (changedNothing(state, event)) return nothingToApprove(state, event);
  const { cost, duration_s } = currentIteration(state);
  const moved =
    work.head === state.head ? {} : { head: work.head, head_at: event.at, shown: null, approvals: [] };
  const changed: Partial<State> = {
    ...moved,
    report: work.report,
    iterations: noting(state, { cost: add(cost, work.cost), duration_s: duration_s + work.duration_s }),
    standing: { phase: 'verifying', hold: state.standing.hold, work: 'verify_attempt' },
  };
  const subject = `Attempt ${state.attempt} of iteration ${state.iteration}: ${work.changes.summary}`;
  return { ...next(state, changed, subject), takes_code: true };
}

/** F-12: iteration 0 is done and there is nothing at all to look at. */
function changedNothing(state: State, { work }: EventOf<'work_finished'>): boolean {
  if (state.iteration > 0 || state.run.adopted || work.report.status !== 'done') return false;
  return work.head === state.run.head && state.queue.length === 0;
}

function nothingToApprove(state: State, { work }: EventOf<'work_finished'>): Step {
  const reason = `the agent changed nothing: ${work.report.summary}`;
  const iterations = noting(state, { landed: true, output: work.report.summary, attempts: state.attempt });
  const standing = { phase: 'cancelled', by: null, reason } as const;
  return next(state, { iterations, report: work.report, standing }, 'End: the agent changed nothing');
}

/** The same attempt is due again, and the budget is as before. */
function uncounted(state: In<'working'>): In<'working'> {
  return { ...state, attempt: state.attempt - 1, attempts_used: state.attempts_used - 1 };
}

function add(one: { tokens?: number; usd?: number }, other: { tokens?: number; usd?: number }) {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0);
  const usd = (one.usd ?? 0) + (other.usd ?? 0);
  return { ...(tokens > 0 ? { tokens } : {}), ...(usd > 0 ? { usd } : {}) };
}
