import { approveByPolicy, leaveToPeople } from '../approval/auto-approval.ts';
import { checksDeadline } from '../approval/ci-results.ts';
import { spokenText } from '../approval/waiting-reasons.ts';
import { interruptFor } from '../attempts/attempt-outcome.ts';
import { withAnswer } from '../attempts/questions.ts';
import { endedBy, settledBy, spawningIn, timeoutOf } from '../iterations/interactions.ts';
import { queueWork } from '../iterations/iteration.ts';
import { closingPull, type Next, next, nothing, type Step } from '../iterations/step.ts';
import {
  type Asking,
  type AwaitingApproval,
  type Deadline,
  isAskingHuman,
  type OpenQuestion,
  type ReminderPercent,
} from '../shapes/standing.ts';
import { byTime, isBefore } from '../shapes/time.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

const reminderPercents: readonly ReminderPercent[] = [50, 90];

/** The deadlines of a run, earliest first: timers and the sweep watch only these. */
export function deadlines(state: Pick<State, 'standing' | 'settings'>): readonly Deadline[] {
  const { standing } = state;
  const checks = checksDeadline(state);
  if (checks !== null) return [{ kind: 'checks', at: checks }];
  if (standing.phase === 'paused' && standing.until !== undefined)
    return [{ kind: 'rate_limit', at: standing.until }];
  // While it is replaced, nobody can say anything about it.
  if (!isAskingHuman(standing) || spawningIn({ standing }) !== undefined) return [];
  const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
  const all: readonly Deadline[] = [
    ...(proceeds === undefined ? [] : [{ kind: 'proceed', at: proceeds.at } as const]),
    ...remindersOf(state).map(({ at }) => ({ kind: 'reminder', at }) as const),
    { kind: standing.phase === 'awaiting_answer' ? 'question' : 'review', at: standing.deadline },
  ];
  return all.toSorted(byTime);
}

/** The reminders still to come. The review timer starts anew at every interaction, and so do they. */
function remindersOf({
  standing,
  settings,
}: Pick<State, 'standing' | 'settings'>): readonly NonNullable<Asking['reminded']>[] {
  if (!isAskingHuman(standing)) return [];
  const ms = timeoutOf({ settings }, standing) * 1000;
  const start = Date.parse(standing.deadline) - ms;
  const reminded = standing.reminded?.percent ?? 0;
  return reminderPercents
    .filter((percent) => percent > reminded)
    .map((percent) => ({ percent, at: new Date(start + (ms * percent) / 100).toISOString() }));
}

type Due = EventOf<'timer_due'>;

/** A timer of a run that asks people. One that is early or outdated does nothing. */
export function timerDue(state: State, event: Due): Step {
  const { timer: kind, deadline: at } = event;
  const isDue = deadlines(state).some((each) => each.kind === kind && each.at === at);
  if (!isDue || isBefore(event.at, at)) return nothing;
  switch (kind) {
    case 'review':
      return isEmpty(state) ? endEmpty(state, event) : timeOut(state);
    case 'question':
      return unanswered(state, event) ?? timeOut(state);
    case 'reminder':
      return remind(state, event);
    case 'proceed':
      return isAwaitingApproval(state) ? timeIsUp(state, event) : nothing;
    case 'checks':
    case 'rate_limit':
      return nothing;
  }
}

/** Nobody responded before the deadline: the run times out and can be resumed. */
function timeOut(state: State): Step {
  const { standing } = state;
  if (!isAskingHuman(standing)) return nothing;
  const before = isAwaitingApproval(state) ? withoutProceeding(state.standing) : standing;
  return next(state, { standing: { phase: 'timed_out', before } }, 'Time out: nobody responded');
}

/**
 * Whether there is nothing to review: the agent has finished without a change, and nobody said how to go on.
 */
function isEmpty({ standing }: State): boolean {
  return standing.phase === 'awaiting_resolution' && standing.interrupt.type === 'nothing_changed';
}

/** Nothing is lost with it: whoever reopens the pull request goes on. */
function endEmpty(state: State, event: Due): Step {
  const reason =
    state.standing.phase === 'awaiting_resolution' ? state.standing.interrupt.failure_reason : '';
  const settled = settledBy(state, event, { by: 'coxswain', how: 'nobody responded' });
  const standing = { phase: 'cancelled', by: null, reason } as const;
  return closingPull(
    next(state, { ...settled, standing }, 'End: the agent changed nothing, and nobody responded'),
    event,
  );
}

/** It is shown by an edit of what asks people, never by a new comment. */
function remind(state: State, { deadline }: Due): Step {
  const { standing } = state;
  const reminder = remindersOf(state).find(({ at }) => at === deadline);
  if (!isAskingHuman(standing) || reminder === undefined) return nothing;
  const subject = `Remind people: ${reminder.percent}% of the time to answer has passed`;
  return next(state, { standing: { ...standing, reminded: reminder } }, subject);
}

/** The time in which people could say something is up. What somebody said after all goes before it. */
function timeIsUp(state: In<'awaiting_approval'>, event: Due): Step {
  const { proceeds } = state.standing;
  if (proceeds === undefined) return nothing;
  if (event.spoken !== undefined) {
    const { login: by, id: _, ...when } = event.spoken;
    const left = leaveToPeople(state, { why: 'stopped', by, ...when });
    return next(left, {}, `Wait for people: ${spokenText(event.spoken)}`);
  }
  switch (proceeds.on_timeout) {
    case 'proceed': {
      const settled = { ...state, ...settledBy(state, event, { by: 'coxswain', how: 'approved by policy' }) };
      return approveByPolicy(settled, event, 'auto_proceed_after');
    }
    case 'hold':
      return next(leaveToPeople(state, { why: 'held', at: event.at }), {}, 'Hold: nobody responded');
    case 'deny':
      return deny(state, event);
  }
}

function deny(state: In<'awaiting_approval'>, event: Due): Step {
  const reason = `nobody approved it by ${event.deadline}, and the configuration says on_timeout: deny`;
  const standing = { phase: 'rejected', by: 'coxswain', reason } as const;
  const changed = { ...endedBy(state, event, { by: 'coxswain', how: 'rejected by policy' }), standing };
  return closingPull(next(state, changed, 'Reject by policy: nobody approved it in time'), event);
}

function isAwaitingApproval(state: State): state is In<'awaiting_approval'> {
  return state.standing.phase === 'awaiting_approval';
}

function withoutProceeding({ proceeds: _, ...standing }: AwaitingApproval): AwaitingApproval {
  return standing;
}

/**
 * The time to answer is over, and what is asked does not wait any longer: the agent goes on with its own
 * defaults, or people have to decide. Undefined if it can still be answered later.
 */
function unanswered(state: State, event: EventOf<'timer_due'>): Next | undefined {
  const { questions = [] } = state;
  if (questions.some(({ on_timeout }) => on_timeout === 'fail')) {
    const asked = questions.map(({ asked: { question } }) => question).join('\n');
    const settled = questions.reduce((before, open) => settle(before, event, open), state);
    const reason = `nobody answered in time: ${asked}`;
    return interruptFor(settled, event, { type: 'unanswered', reason });
  }
  if (!questions.every(({ on_timeout, asked }) => on_timeout === 'default' && asked.default !== undefined))
    return undefined;
  const answered = questions.reduce((before, open) => settle(before, event, open, open.asked.default), state);
  return queueWork(answered, 'attempt', 'Continue with what the agent would choose: nobody answered');
}

function settle(state: State, event: EventOf<'timer_due'>, open: OpenQuestion, reply?: string): State {
  const end = { by: 'coxswain', how: 'nobody answered', ...(reply !== undefined && { reply }) };
  return withAnswer(state, event, open, end);
}
