import { decisionOf } from './decision.ts';
import type { Event, EventOf } from './event.ts';
import type { Failure, GateHit, VerifierOutput } from './evidence.ts';
import { deadlineAfter, openingOf } from './interactions.ts';
import { attemptRecord, noting, queueWork, roundsLeft, steersIn, steerWith } from './rounds.ts';
import { scoreOf } from './score.ts';
import type { Interrupt, Shown, State, WorkKind } from './state.ts';
import { type Next, next } from './step.ts';

/** Gate rules whose hit makes a change destructive (REQUIREMENTS L-5). */
const destructiveRules = ['deletes-files', 'drops-data', 'changes-production', 'rewrites-history'];

/** How often an attempt may be lost with its holder before a human is asked. */
const mostLosses = 3;

/** The verifiers have spoken: try again, stop for a human, or put it on show. */
export function judge(state: State, event: EventOf<'verified'>, work: Exclude<WorkKind, 'attempt'>): Next {
  const shown = showing(state, event);
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
    head: event.head,
    attempts: work === 'verify_attempt' ? [...state.attempts, record] : state.attempts,
    iterations: noting(state, roundup(state, shown)),
  };
  if (red.length > 0) return afterRed(seen, event, { red, work });
  if (shown.decision === 'abort') {
    return interrupted(seen, event, 'zero_confidence', `confidence is zero (${shown.confidence.score})`);
  }
  return landed(seen, event);
}

/** An attempt that brought nothing: another one while the budget lasts, else a human. */
export function afterFailure(state: State, event: EventOf<'work_failed'>): Next {
  const { failure, duration_s } = event;
  const record = attemptRecord(state, { outcome: 'failed', failure, verifiers: [], duration_s });
  const seen: State = { ...state, attempts: [...state.attempts, record] };
  if (state.queue.length > 0) return nextRound(seen, event);
  if (failure.kind === 'branch_moved')
    return againAfterLoss({ ...state, attempts_used: state.attempts_used - 1 }, event);
  if (hopeless(failure)) return interrupted(seen, event, 'zero_confidence', failure.message);
  if (budgetLeft(seen)) {
    return queueWork(seen, 'attempt', `Attempt ${state.attempt} failed: ${failure.kind}; try again`);
  }
  return interrupted(seen, event, 'task_exceeded_retries', failure.message);
}

/** Whoever worked is gone; the same attempt goes to another, a bounded number of times. */
export function againAfterLoss(state: State, event: Event, work: WorkKind = 'attempt'): Next {
  const times = state.times_lost + 1;
  const seen: State = { ...state, times_lost: times };
  if (times <= mostLosses)
    return queueWork(seen, work, `Attempt ${state.attempt} was lost; it is given to another`);
  const reason = `attempt ${state.attempt} was lost ${times} times with whoever held it`;
  return interrupted(seen, event, 'task_exceeded_retries', reason);
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
      iterations: noting(state, { landed: true, attempts: state.attempt }),
      standing: { phase: 'awaiting_resolution', interaction, interrupt, deadline },
    },
    `Ask a human: ${firstLine(reason)}`,
  );
}

export function redNames(verifiers: readonly VerifierOutput[]): readonly string[] {
  return verifiers.filter(({ required, success }) => required && !success).map(({ name }) => name);
}

/** What was steered meanwhile goes before any approval. */
function landed(state: State, event: Event): Next {
  const noted: State = { ...state, iterations: noting(state, { landed: true }) };
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
    `Ask for approval of iteration ${state.iteration}, confidence ${state.shown?.confidence.band ?? 'unknown'}`,
  );
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
  const reason =
    work === 'verify_attempt'
      ? `${red.join(', ')} still failing after ${state.attempts_used} of ${state.settings.attempts.max} attempts`
      : `${red.join(', ')} failing on ${state.head.slice(0, 7)}`;
  return interrupted(noApprovals, event, 'task_exceeded_retries', reason);
}

/** A queue is only ever filled while a round is left; closing it again is the limit's job. */
function nextRound(state: State, event: Event): Next {
  const noted: State = { ...state, iterations: noting(state, { landed: true }) };
  if (!roundsLeft(noted))
    return interrupted({ ...noted, queue: [] }, event, 'task_exceeded_retries', 'no iteration is left');
  return steerWith(noted, event, steersIn(state.queue));
}

function showing(state: State, event: EventOf<'verified'>): Shown {
  const confidence = scoreOf({
    verifiers: {
      passed: event.verifiers.filter(({ success }) => success).length,
      total: event.verifiers.length,
    },
    reviewer: null,
    retries: Math.max(state.attempts_used - 1, 0),
    max_retries: state.settings.attempts.max - 1,
    destructive: isDestructive(event.gates),
    tool_calls: toolCalls(state),
    uncertain: state.report?.status === 'uncertain',
  });
  const { mode, threshold } = state.settings.approval;
  const decision = decisionOf({ confidence, gated: event.gates.length > 0, mode, threshold });
  return {
    head_sha: event.head,
    at: event.at,
    changes: event.changes,
    verifiers: event.verifiers,
    gates: event.gates,
    confidence,
    decision,
  };
}

function toolCalls(state: State): { succeeded: number; total: number } {
  const counted = (state.report?.tool_calls ?? []).filter(({ outcome }) => outcome !== 'denied');
  return { succeeded: counted.filter(({ outcome }) => outcome === 'ok').length, total: counted.length };
}

function roundup(state: State, shown: Shown) {
  return {
    head_after: shown.head_sha,
    files_modified: shown.changes.files.map(({ path }) => path),
    output: state.report?.summary ?? '',
    attempts: state.attempt,
    score: shown.confidence.score,
    verifiers: shown.verifiers.map(({ name, success }) => ({ name, success })),
  };
}

function isDestructive(gates: readonly GateHit[]): boolean {
  return gates.some(({ rule }) => destructiveRules.includes(rule));
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
