import { deadlineAfter, heldWork } from '../iterations/interactions.ts';
import { currentIteration, queueWork } from '../iterations/iteration.ts';
import { observed, withRan } from '../iterations/observations.ts';
import { withCost, withTime } from '../iterations/spending.ts';
import { type Next, next, nothing, type Step } from '../iterations/step.ts';
import type { Parked } from '../shapes/agent-progress.ts';
import type { Cost, GateHit } from '../shapes/attempt-result.ts';
import {
  type AskedPermission,
  type AttemptId,
  type AwaitingPermission,
  isLeased,
  type Paused,
} from '../shapes/standing.ts';
import { isBefore } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { interruptFor, nextIteration } from './attempt-outcome.ts';
import { awaitAnswers } from './questions.ts';

type WorkParked = EventOf<'work_parked'>;

/** How often in an iteration a model may have no more for now. */
const maxRateLimits = 5;

/** The agent was stopped under its lease. It uses no attempt, and what it left is what the next one has. */
export function park(state: In<'working'>, event: WorkParked): Next {
  const { left } = event;
  const counted = withTime(met(observed(state, event), event), event.duration_s);
  const parked: State = { ...counted, ...withoutUse(state), parked: parkedBy(event) };
  return { ...waitOrGoOn(parked, event), ...(left?.kept && { takes_code: true }) };
}

/** Nothing is left of its work, so what came before it is what the next one has. */
export function parkLost(state: In<'working'>, event: EventOf<'hold_lost'>): Next {
  const { granted: _, ...before } =
    state.parked ?? ({ ...attemptOf(event.hold), because: 'stopped' } as Parked);
  return waitOrGoOn({ ...state, ...withoutUse(state), parked: before }, event);
}

/** An attempt that was stopped uses none; its number stays its own. */
function withoutUse({ attempts_used }: State): Pick<State, 'attempts_used'> {
  return { attempts_used: Math.max(attempts_used - 1, 0) };
}

/** Waits for whatever the agent wanted to know; if that is settled, the next attempt goes on at once. */
export function waitOrGoOn(state: State, event: Event): Next {
  if (event.type === 'work_parked' && event.because === 'rate_limit') return waitForModel(state, event);
  if (state.queue.length > 0) return nextIteration(state, event);
  const { standing } = state;
  if (standing.phase === 'working' && standing.asking !== undefined)
    return awaitDecision(state, event, standing.asking);
  return awaitAnswers(state, event) ?? queueWork(state, 'attempt', goOn);
}

const goOn = 'Continue where the agent stopped';

/** People decide about the tool call later than an agent can be held. */
function awaitDecision(state: State, { at }: Event, { interaction, call }: AskedPermission): Next {
  const deadline = deadlineAfter(state, at);
  const standing: AwaitingPermission = { phase: 'awaiting_permission', interaction, call, deadline };
  return next(state, { standing }, 'Stop the agent until somebody decides about its tool call');
}

/** The model has no more until then. What does not end in an iteration is for people to look at. */
function waitForModel(state: State, event: WorkParked): Next {
  const { until } = event;
  const { iteration, rate_limits: before } = state;
  const times = (before?.iteration === iteration ? before.times : 0) + 1;
  const seen: State = { ...state, rate_limits: { iteration, times } };
  if (until === undefined || times > maxRateLimits) {
    // As after any other failure.
    if (seen.queue.length > 0) return nextIteration(seen, event);
    return interruptFor(seen, event, {
      type: 'agent_unusable',
      reason: `the model hit its usage limit ${times} times in this iteration`,
    });
  }
  const standing: Paused = { phase: 'paused', why: 'rate_limit', resumes_with: 'attempt', until };
  return next(seen, { standing }, `Wait for the model until ${until}`);
}

/** The time at which the model answers again has come, or is to be asked again. */
export function modelAnswers(state: In<'paused'>, event: EventOf<'timer_due'>): Step {
  const { timer, deadline, at } = event;
  const { until, why } = state.standing;
  if (timer !== 'rate_limit' || until === undefined || deadline !== until || isBefore(at, until))
    return nothing;
  return {
    ...goOnWithModel(state, event),
    subject: `Continue: the model ${why === 'rate_limit' ? 'answers' : 'is asked'} again`,
  };
}

/** Somebody does not want to wait any longer for the model, or it answers again. */
export function goOnWithModel(state: State, event: Event): Next {
  return waitOrGoOn({ ...state, times_lost: 0 }, event);
}

/** People stopped the agent, and what it left arrives afterwards: the next attempt goes on from it. */
export function keepParked(state: State, event: WorkParked): Next {
  const { hold } = event;
  const seen = met(state, event);
  const isNewest =
    state.iteration === hold.iteration && [state.attempt, state.attempt + 1].includes(hold.attempt);
  const isOfLast = state.iteration === hold.iteration + 1 && state.attempt === 0;
  // Another process may have done the same attempt meanwhile, and whoever goes back does not want this.
  const isDone =
    heldWork(state) !== undefined ||
    state.attempts.some(({ attempt }) => isNewest && attempt === hold.attempt);
  const { undo, update } = currentIteration(state);
  const isUndone = undo !== undefined || (update !== undefined && update.resolves === undefined);
  const goesOn = !isLeased(state.standing) && (isNewest || isOfLast) && !isDone && !isUndone;
  if (!goesOn) return next(seen, {}, 'Record what a stopped agent left');
  const parked: State = {
    ...withTime(seen, event.duration_s),
    // Its number stays its own: its prompt and its log are in the ledger under that.
    ...(isNewest && { attempt: hold.attempt }),
    parked: parkedBy(event),
  };
  return {
    ...next(parked, {}, 'Keep what the stopped agent left'),
    ...(event.left?.kept && { takes_code: true }),
  };
}

/** The attempt of a lease, whose prompt and log are in the ledger under it. */
function attemptOf({ iteration, attempt, stage }: AttemptId): AttemptId {
  return { iteration, attempt, ...(stage !== undefined && { stage }) };
}

function parkedBy({
  hold,
  because,
  left,
  tool_calls = [],
}: Pick<WorkParked, 'hold' | 'because' | 'left' | 'tool_calls'>): Parked {
  return {
    ...attemptOf(hold),
    because,
    ...(left !== null && { work: left }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
}

/**
 * The state with what a failed attempt left; if it left nothing, that is what came before it. But files on
 * which set-up fails are set aside: every attempt would fail on them.
 */
export function leftBy(
  { hold, left, failure }: EventOf<'work_failed'>,
  before?: Parked,
): Pick<State, 'parked'> {
  if (failure.kind === 'setup' && before?.work !== undefined) {
    const { work: _, ...parked } = before;
    return { parked };
  }
  return left === undefined ? {} : { parked: parkedBy({ hold, because: 'failed', left }) };
}

function met(
  state: State,
  { cost, ran }: { readonly cost?: Cost; readonly ran?: readonly GateHit[] },
): State {
  return withRan(withCost(state, cost ?? {}), ran);
}
