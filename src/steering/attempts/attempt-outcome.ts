import { areMet, needsOf } from '../approval/approval-needs.ts';
import { proceedOrAsk } from '../approval/auto-approval.ts';
import { isMendable } from '../approval/ci-results.ts';
import { beginUpdate, resolveConflict, withoutUpdate } from '../branch/undo-and-update.ts';
import { evaluate, failedRequired, isWorse, reviewed, summarize } from '../confidence/evaluation.ts';
import { circleIn, circleReason, withFlaky, withFormerRuns } from '../confidence/verifier-results.ts';
import { deadlineAfter, openingOf, withoutQuestions } from '../iterations/interactions.ts';
import {
  attemptRecord,
  currentIteration,
  iterationsLeft,
  madeBy,
  queueLanding,
  queueWork,
  stageOf,
  startIteration,
  steersIn,
  updateIteration,
} from '../iterations/iteration.ts';
import { observed } from '../iterations/observations.ts';
import { isRaisedEnough, sumOfSeconds, withCost, withTime } from '../iterations/spending.ts';
import { type Next, next } from '../iterations/step.ts';
import { firstLine, shortSha } from '../phrases/phrases.ts';
import type { Failure, Found, GateHit, VerifierOutput, Work } from '../shapes/attempt-result.ts';
import { redBefore } from '../shapes/proof.ts';
import type { HeldWork, Interrupt, Paused, WorkKind } from '../shapes/standing.ts';
import { secondsAfter } from '../shapes/time.ts';
import type { Event, EventOf, Stamp } from '../state/event.ts';
import type { AttemptRecord, State } from '../state/state.ts';
import { awaitAnswers } from './questions.ts';

/** How often in a row work may be lost before a human is asked. */
const maxLosses = 3;

/** Work that ends with a verdict of the verifiers. */
type Judged = Exclude<WorkKind, 'attempt'>;

/** How an attempt without a usable result ended, and what is known of it. */
interface Ended extends Pick<AttemptRecord, 'kept_ref' | 'files' | 'cost' | 'duration_s'> {
  readonly failure: Failure;
  /** The rules that matched what it did. */
  readonly gates?: readonly GateHit[] | undefined;
}

interface Interruption extends Pick<Interrupt, 'type' | 'by' | 'push_refused'> {
  readonly reason: string;
}

interface Again {
  readonly work: WorkKind;
  /** Work that was being put on the branch. */
  readonly held?: HeldWork | undefined;
  readonly because: string;
}

/** The verifiers are done: try again, stop for a human, or ask for approval. */
export function judge(before: State, found: Stamp & Found, work: Judged): Next {
  const event = { ...found, verifiers: withFormerRuns(before, found) };
  const state = { ...withReview(before, event), ...withFlaky(before, event) };
  const shown = evaluate(state, event);
  const failing = failedRequired(event.verifiers);
  const outcome = failing.length > 0 ? 'red' : 'green';
  const record = attemptRecord(state, {
    outcome,
    failure: null,
    verifiers: event.verifiers,
    gates: shown.gates,
    ...(event.subject !== undefined && { subject: event.subject }),
    ...state.worked,
    duration_s: timeOfAttempt(state, event),
  });
  const seen: State = {
    ...state,
    shown,
    ...(event.baseline !== undefined && { baseline: event.baseline }),
    // Whoever approved saw something better.
    ...(state.shown !== null && isWorse(state.shown, shown) && { approvals: [] }),
    times_lost: 0,
    attempts: work === 'verify_attempt' ? [...state.attempts, record] : state.attempts,
    iterations: updateIteration(state, summarize(state, shown, event.own_files)),
  };
  if (failing.length > 0) return afterFailedVerifiers(seen, event, event.verifiers, work);
  if (shown.decision === 'abort') {
    if (state.queue.length > 0) return nextIteration(seen, event);
    return interruptFor(seen, event, {
      type: 'zero_confidence',
      reason: `confidence is zero (${shown.confidence.score})`,
    });
  }
  return landed(seen, event);
}

/** With the second opinion on the head, if somebody was asked for one, and what that cost. */
function withReview(state: State, { head, review }: Found): State {
  if (review === undefined) return state;
  return { ...withCost(state, review.cost ?? {}), review: reviewed(state.review, head, review) };
}

/** After a failed attempt: another one while the budget lasts, else ask a human. */
export function afterFailure(state: State, event: Event, ended: Ended): Next {
  const { failure } = ended;
  const record = attemptRecord(state, { outcome: 'failed', ...ended });
  const seen: State = { ...state, attempts: [...state.attempts, record] };
  if (state.queue.length > 0) return nextIteration(seen, event);
  if (failure.kind === 'branch_moved') {
    // After a retry, the attempt whose verifiers run again is not counted anyway.
    const uncounted = { ...seen, attempts_used: Math.max(state.attempts_used - 1, 0) };
    return again(uncounted, event, { work: 'attempt', because: 'the branch moved during the attempt' });
  }
  // People can raise it in the very moment in which it is used up. A limit of attempts holds all the same.
  if (failure.kind === 'budget' && isRaisedEnough(seen, failure.budget) && budgetLeft(seen))
    return tryAgain(seen, event, 'Continue with the limit that was raised in the meantime');
  if (failure.kind === 'budget')
    return interruptFor(seen, event, { type: 'budget_exceeded', reason: failure.message });
  if (failure.kind === 'agent_unusable' || failure.kind === 'model_key')
    return interruptFor(seen, event, { type: 'agent_unusable', reason: failure.message });
  if (failure.kind === 'conflict') return afterConflict(seen, event, failure);
  if (hopeless(failure))
    return interruptFor(seen, event, { type: 'zero_confidence', reason: failure.message });
  if (budgetLeft(seen) && mayTryStageAgain(seen)) {
    if (failure.kind === 'model_unavailable')
      return awaitAnswers(seen, event) ?? leaveModelAlone(seen, event);
    const why = firstLine(failure.message);
    return tryAgain(seen, event, `Attempt ${state.attempt} failed: ${why}; trying again`);
  }
  return interruptFor(seen, event, { type: 'task_exceeded_retries', reason: failure.message });
}

/** The verifiers could not run: this fails an attempt, but for any other head a human is asked. */
export function afterVerifierFailure(before: State, event: EventOf<'work_failed'>, work: Judged): Next {
  const state = withTime(withCost(observed(before, event), event.cost ?? {}), event.duration_s);
  const duration_s = timeOfAttempt(state, event);
  if (work === 'verify_attempt')
    return afterFailure(state, event, { ...state.worked, failure: event.failure, duration_s });
  if (state.queue.length > 0) return nextIteration(state, event);
  const { kind, message: reason } = event.failure;
  if (kind === 'conflict') return afterConflict(state, event, event.failure);
  const push_refused = kind === 'push_refused' && ({ push_refused: true } as const);
  return interruptFor(state, event, { type: 'task_exceeded_retries', reason, ...push_refused });
}

/** Between two changes of the same lines somebody has to decide: the agent once, if people let it. */
function afterConflict(state: State, event: Stamp, { message: reason, tip }: Failure): Next {
  return resolveConflict(state, event, tip) ?? interruptFor(state, event, { type: 'conflict', reason });
}

/** The time of an attempt that ends with its verifiers, in seconds. */
function timeOfAttempt({ worked_s = 0 }: State, { duration_s }: { readonly duration_s: number }): number {
  return sumOfSeconds(worked_s, duration_s);
}

/** Repeats work that was lost through nobody's fault: a limited number of times, at no cost to the budget. */
export function again(state: State, event: Event, { work, held, because }: Again): Next {
  const times = state.times_lost + 1;
  const seen: State = { ...state, times_lost: times };
  if (times <= maxLosses) {
    const subject = `Retry: ${because}`;
    if (held !== undefined) return queueLanding(seen, held, subject);
    return work === 'attempt' ? tryAgain(seen, event, subject) : queueWork(seen, work, subject);
  }
  if (state.queue.length > 0) return nextIteration(seen, event);
  return interruptFor(seen, event, { type: 'task_exceeded_retries', reason: `${because}, ${times} times` });
}

/** Another attempt, as soon as whatever the last one wanted to know is answered. */
function tryAgain(state: State, event: Stamp, subject: string): Next {
  return awaitAnswers(state, event) ?? queueWork(state, 'attempt', subject);
}

/** An attempt right after one that the model ended would only end like it: each is longer in coming. */
function leaveModelAlone(state: State, { at }: Stamp): Next {
  const before = state.attempts.findLastIndex(({ failure }) => failure?.kind !== 'model_unavailable');
  const inARow = state.attempts.length - 1 - before;
  const until = secondsAfter(at, Math.min(shortestPauseS * 4 ** (inARow - 1), longestPauseS));
  const standing: Paused = { phase: 'paused', why: 'model_unavailable', resumes_with: 'attempt', until };
  return next(state, { standing }, `Attempt ${state.attempt} failed: model_unavailable; wait until ${until}`);
}

const shortestPauseS = 30;
const longestPauseS = 3600;

/** Stops for a human because continuing automatically would not help. What agents asked is no longer it. */
export function interruptFor(before: State, event: Stamp, { reason, ...interruption }: Interruption): Next {
  const { by } = interruption;
  const state = withoutUpdate(before);
  const interrupt: Interrupt = {
    ...interruption,
    retry_count: Math.max(state.attempts_used - 1, 0),
    failure_reason: reason,
  };
  const interaction = openingOf(state, 'interrupt', event.at);
  const deadline = deadlineAfter(state, event.at);
  return next(
    state,
    {
      approvals: [],
      ...withoutQuestions(state, event, { by: by ?? 'coxswain', how: 'people decide how to continue' }),
      iterations: updateIteration(state, { landed: true, attempts: state.attempt }),
      standing: { phase: 'awaiting_resolution', interaction, interrupt, deadline },
    },
    `Ask a human: ${firstLine(reason)}`,
  );
}

/** Steers that arrived during the work take precedence over any approval, and so does an update. */
export function landed(state: State, event: Stamp): Next {
  const noted: State = { ...state, iterations: updateIteration(state, { landed: true }) };
  if (state.queue.length > 0) return nextIteration(noted, event);
  // The agent has finished, and goes on with the answer: a person then has said something.
  const waits = awaitAnswers({ ...noted, attempts_used: 0 }, event);
  if (waits !== undefined) return waits;
  if (state.update !== undefined) return beginUpdate(noted, event, state.update);
  if (areMet(needsOf(noted))) {
    return next(
      { ...noted, owed: [...noted.owed, { id: `${event.id}:finish`, do: 'check_finish' }] },
      { standing: { phase: 'approved', finish: 'checking' } },
      'Verifiers still pass: the approval stands',
    );
  }
  return proceedOrAsk(noted, event);
}

function afterFailedVerifiers(
  state: State,
  event: Stamp,
  verifiers: readonly VerifierOutput[],
  work: WorkKind,
): Next {
  const noApprovals: State = { ...state, approvals: [] };
  if (state.queue.length > 0) return nextIteration(noApprovals, event);
  const failed = verifiers.filter(({ required, success }) => required && !success);
  const failing = failed.map(({ name }) => name);
  // Another attempt would be judged by what no attempt has broken.
  if (redBefore(state.shown?.baseline, failing).length === failing.length)
    return interruptFor(noApprovals, event, { type: 'red_before', reason: redBeforeReason(state, failing) });
  if (!failed.some(isMendable)) {
    const reason = failed.map(({ name, stdout }) => `${name}: ${firstLine(stdout)}`).join('\n');
    return interruptFor(noApprovals, event, { type: 'task_exceeded_retries', reason });
  }
  const circle = work === 'verify_attempt' ? circleIn(state) : undefined;
  if (circle !== undefined)
    return interruptFor(noApprovals, event, { type: 'circles', reason: circleReason(circle, failing) });
  if (work === 'verify_attempt' && budgetLeft(state)) {
    return tryAgain(
      noApprovals,
      event,
      `Attempt ${state.attempt} failed verification (${failing.join(', ')}); trying again`,
    );
  }
  const names = failing.join(', ');
  const used = `${state.attempts_used} of ${state.settings.attempts.max}`;
  const reason =
    work === 'verify_attempt'
      ? `${names} still failing after ${used} attempts`
      : `${names} failing on ${shortSha(state.head)}`;
  return interruptFor(noApprovals, event, { type: 'task_exceeded_retries', reason: reason });
}

function redBeforeReason({ head, run, shown }: State, failing: readonly string[]): string {
  const tip = shown?.baseline?.base;
  const base = tip === undefined ? run.base : `${run.base} at ${shortSha(tip)}`;
  return `${failing.join(', ')} failing on ${shortSha(head)}, and on ${base} before this change, too`;
}

/** The result does not fit on the branch: another attempt starts from the new head, at no cost. */
export function branchMoved(state: State, event: Event, work: Work): Next {
  const message = `built on ${shortSha(work.head_before)}, but the head is ${shortSha(state.head)}`;
  const failure = { kind: 'branch_moved', message } as const;
  return afterFailure(state, event, { ...madeBy(work), failure, duration_s: work.duration_s });
}

/** The queue is only filled while iterations are left, but the limit is enforced here again. */
export function nextIteration(state: State, event: Stamp): Next {
  if (!iterationsLeft(state))
    return interruptFor({ ...state, queue: [] }, event, {
      type: 'task_exceeded_retries',
      reason: 'no iterations are left',
    });
  return startIteration(state, event, steersIn(state.queue));
}

/** The conflicts of an update are a task for one attempt. */
function budgetLeft(state: State): boolean {
  const isOnlyOne = currentIteration(state).update?.resolves !== undefined;
  return state.attempts_used < (isOnlyOne ? 1 : state.settings.attempts.max);
}

/** Whether the stage that failed may be tried again; people who let it go on renew that. */
function mayTryStageAgain(state: State): boolean {
  const { name, retries = Infinity } = stageOf(state);
  const failed = state.attempts
    .slice(-state.attempts_used)
    .filter(({ stage, failure }) => stage === name && failure?.kind === 'stage_check');
  return failed.length <= retries;
}

/** Failures that another attempt would only repeat. */
function hopeless({ kind }: Failure): boolean {
  return ['cannot', 'incoherent_report', 'not_found', 'sandbox', 'push_refused'].includes(kind);
}
