import { evaluate, redNames, summarize } from './evaluation.ts';
import type { Event, EventOf } from './event.ts';
import type { Failure } from './evidence.ts';
import { deadlineAfter, openingOf } from './interactions.ts';
import {
  attemptRecord,
  iterationsLeft,
  queueWork,
  startIteration,
  steersIn,
  updateIteration,
} from './iterations.ts';
import type { Interrupt, WorkKind } from './standing.ts';
import type { State } from './state.ts';
import { type Next, next } from './step.ts';

/** How often in a row work may be lost with its holder before a human is asked. */
const mostLosses = 3;

/** Work that ends with a word of the verifiers. */
type Judged = Exclude<WorkKind, 'attempt'>;

/** How an attempt ended that brought nothing. */
interface Ended {
  readonly failure: Failure;
  readonly duration_s: number;
}

interface Again {
  readonly work: WorkKind;
  readonly because: string;
}

/** The verifiers have spoken: try again, stop for a human, or put it on show. */
export function judge(state: State, event: EventOf<'verified'>, work: Judged): Next {
  const shown = evaluate(state, event);
  const red = redNames(event.verifiers);
  const outcome = red.length > 0 ? 'red' : 'green';
  const record = attemptRecord(state, {
    outcome,
    failure: null,
    verifiers: event.verifiers,
    duration_s: event.duration_s,
  });
  const seen: State = {
    ...state,
    shown,
    times_lost: 0,
    attempts: work === 'verify_attempt' ? [...state.attempts, record] : state.attempts,
    iterations: updateIteration(state, summarize(state, shown)),
  };
  if (red.length > 0) return afterRed(seen, event, { red, work });
  if (shown.decision === 'abort') {
    if (state.queue.length > 0) return nextRound(seen, event);
    return interrupted(seen, event, 'zero_confidence', `confidence is zero (${shown.confidence.score})`);
  }
  return landed(seen, event);
}

/** An attempt that brought nothing: another one while the budget lasts, else a human. */
export function afterFailure(state: State, event: Event, { failure, duration_s }: Ended): Next {
  const record = attemptRecord(state, { outcome: 'failed', failure, verifiers: [], duration_s });
  const seen: State = { ...state, attempts: [...state.attempts, record] };
  if (state.queue.length > 0) return nextRound(seen, event);
  if (failure.kind === 'branch_moved') {
    const uncounted = { ...seen, attempts_used: state.attempts_used - 1 };
    return again(uncounted, event, { work: 'attempt', because: 'the branch moved under the attempt' });
  }
  if (hopeless(failure)) return interrupted(seen, event, 'zero_confidence', failure.message);
  if (budgetLeft(seen)) {
    return queueWork(seen, 'attempt', `Attempt ${state.attempt} failed: ${failure.kind}; try again`);
  }
  return interrupted(seen, event, 'task_exceeded_retries', failure.message);
}

/** The verifiers could not speak: an attempt has failed; a head nobody worked on is a human's question. */
export function afterVerifierFailure(state: State, event: EventOf<'work_failed'>, work: Judged): Next {
  if (work === 'verify_attempt') return afterFailure(state, event, event);
  if (state.queue.length > 0) return nextRound(state, event);
  return interrupted(state, event, 'task_exceeded_retries', event.failure.message);
}

/** Nobody's fault: the same work again, a bounded number of times, and none of it from the budget. */
export function again(state: State, event: Event, { work, because }: Again): Next {
  const times = state.times_lost + 1;
  const seen: State = { ...state, times_lost: times };
  if (times <= mostLosses) return queueWork(seen, work, `Again: ${because}`);
  if (state.queue.length > 0) return nextRound(seen, event);
  return interrupted(seen, event, 'task_exceeded_retries', `${because}, ${times} times`);
}

/** Stops for a human because going on by itself helps nobody. */
export function interrupted(state: State, event: Event, type: Interrupt['type'], reason: string): Next {
  const interrupt: Interrupt = {
    type,
    retry_count: Math.max(state.attempts_used - 1, 0),
    failure_reason: reason,
  };
  const interaction = openingOf(state, 'interrupt', event.at);
  const deadline = deadlineAfter(state, event.at);
  return next(
    state,
    {
      approvals: [],
      iterations: updateIteration(state, { landed: true, attempts: state.attempt }),
      standing: { phase: 'awaiting_resolution', interaction, interrupt, deadline },
    },
    `Ask a human: ${firstLine(reason)}`,
  );
}

/** What was steered meanwhile goes before any approval. */
function landed(state: State, event: Event): Next {
  const noted: State = { ...state, iterations: updateIteration(state, { landed: true }) };
  if (state.queue.length > 0) return nextRound(noted, event);
  if (state.approvals.length >= state.settings.approval.required) {
    return next(
      { ...noted, owed: [...noted.owed, { id: `${event.id}:finish`, do: 'check_finish' }] },
      { standing: { phase: 'approved', finish: 'checking' } },
      'Still green: the approval stands',
    );
  }
  const interaction = openingOf(state, 'approval', event.at);
  const deadline = deadlineAfter(state, event.at);
  return next(
    noted,
    { standing: { phase: 'awaiting_approval', interaction, deadline } },
    `Ask for approval of iteration ${state.iteration}, confidence ${bandOnShow(state)}`,
  );
}

function bandOnShow({ shown }: State): string {
  return shown?.confidence.band ?? 'unknown';
}

function afterRed(
  state: State,
  event: Event,
  { red, work }: { red: readonly string[]; work: WorkKind },
): Next {
  const noApprovals: State = { ...state, approvals: [] };
  if (state.queue.length > 0) return nextRound(noApprovals, event);
  if (work === 'verify_attempt' && budgetLeft(state)) {
    return queueWork(
      noApprovals,
      'attempt',
      `Attempt ${state.attempt} is red (${red.join(', ')}); try again`,
    );
  }
  const names = red.join(', ');
  const used = `${state.attempts_used} of ${state.settings.attempts.max}`;
  const reason =
    work === 'verify_attempt'
      ? `${names} still failing after ${used} attempts`
      : `${names} failing on ${state.head.slice(0, 7)}`;
  return interrupted(noApprovals, event, 'task_exceeded_retries', reason);
}

/** A queue is only ever filled while a round is left; closing it again is the limit's job. */
function nextRound(state: State, event: Event): Next {
  if (!iterationsLeft(state))
    return interrupted({ ...state, queue: [] }, event, 'task_exceeded_retries', 'no iteration is left');
  return startIteration(state, event, steersIn(state.queue));
}

function budgetLeft(state: State): boolean {
  return state.attempts_used < state.settings.attempts.max;
}

/** Failures that another attempt would only repeat. */
function hopeless({ kind }: Failure): boolean {
  return ['cannot', 'incoherent_report', 'not_found', 'sandbox', 'push_refused'].includes(kind);
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 120);
}
