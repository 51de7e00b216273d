import { withPerhapsHeard } from '../iterations/contributing.ts';
import {
  currentIteration,
  iterationsLeft,
  startIteration,
  steersIn,
  updateIteration,
} from '../iterations/iterations.ts';
import {
  accepted,
  type CommandEventOf,
  holdsLease,
  type Next,
  next,
  nothing,
  type Step,
  withEffect,
} from '../iterations/step.ts';
import { withoutCall } from '../permission/tool-calls.ts';
import { type QueuedSteer, type Steer, summaryOf } from '../shapes/queued-steer.ts';
import type { Working } from '../shapes/standing.ts';
import { byTime } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { PendingEffect, ReplyContent } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';
import { queueSteer, steerNow, steerOf, steerOrQueue } from './command-handlers.ts';

/** Steers that reach an agent in the middle of its work. */

/** Beyond this many in one iteration, a steer begins the next. */
const maxTold = 10;

/**
 * With `--now` the agent at work is told, if it can be; otherwise it is stopped, and the next iteration begins.
 * Where the configuration says that every steer is told, one without `--now` never stops an agent.
 */
export function steerAgent(state: In<'working'>, event: CommandEventOf<'steer'>): Step {
  const { now, with: agent, prompt } = event.command;
  if (!now && state.settings.steering.while_working !== 'tell') return steerOrQueue(state, event);
  if (agent !== undefined || !canBeTold(state))
    return now ? steerNow(withoutAgent(state, event), event) : queueSteer(state, event, { untold: true });
  const steer: QueuedSteer = { ...steerOf(event), id: event.id, at: event.at };
  const { standing } = state;
  const telling = [...(standing.telling ?? []), steer];
  const subject = `Tell the agent at work, from ${event.by.login}: ${summaryOf(prompt)}`;
  return accepted(next(state, { standing: { ...standing, telling } }, subject), event);
}

/** Only who speaks a protocol can be told anything. */
function canBeTold({ standing, settings, ...state }: In<'working'>): boolean {
  const { use } = settings.agent;
  if (use === 'command' || use === 'scripted' || standing.held !== undefined) return false;
  const told = currentIteration({ ...state, standing, settings }).steers.filter((steer) => steer.told);
  return told.length + (standing.telling ?? []).length < maxTold;
}

/** The agent has been told, or cannot be. */
export function told(state: In<'working'>, event: EventOf<'steer_told'>): Step {
  const { standing } = state;
  const steer = standing.telling?.find(({ id }) => id === event.steer);
  if (!holdsLease(state, event.hold) || steer === undefined) return nothing;
  const { how } = event;
  if (how === 'unable') return notTold(state, event, steer);
  const iterations = withWords(state, { ...steersIn([steer])[0], told: how } as Steer);
  const subject = `The agent at work was told what ${steer.author} wrote`;
  const step = next(state, { standing: without(standing, steer), iterations }, subject);
  return replied(step, event, { steer, words: { say: 'told', how } });
}

/** As a steer for an agent that cannot be told anything: what else is on its way to it goes with it. */
function notTold(state: In<'working'>, event: EventOf<'steer_told'>, steer: QueuedSteer): Step {
  if (iterationsLeft(state) && state.settings.steering.while_working === 'tell') {
    const queue = [...state.queue, steer].sort(byTime);
    const queued = { standing: without(state.standing, steer), queue };
    const subject = `Queue steer ${queue.length} from ${steer.author}: ${summaryOf(steer.prompt)}`;
    const words = { say: 'queued', place: queue.indexOf(steer) + 1, untold: true } as const;
    return replied(next(withPerhapsHeard(state, [steer]), queued, subject), event, { steer, words });
  }
  if (iterationsLeft(state)) {
    const ended = withoutAgent(state, event);
    const step = startIteration(ended, event, steersIn(ended.queue));
    return replied(step, event, { steer, words: { say: 'told', how: 'unable' } });
  }
  const standing = without(state.standing, steer);
  const subject = `Drop a steer from ${steer.author}, which came too late`;
  return next(withoutSteers(state, [steer], event), { standing }, subject);
}

function without({ telling = [], ...rest }: Working, steer: QueuedSteer): Working {
  const others = telling.filter((each) => each !== steer);
  return { ...rest, ...(others.length > 0 && { telling: others }) };
}

/**
 * The state when its agent ends: it waits for nobody, and what it was not told begins the next iteration, if
 * one is left.
 */
export function withoutAgent(state: In<'working'>, event: Event): In<'working'> {
  const { telling = [], ...standing } = state.standing;
  if (telling.length === 0) return withoutCall(state, event);
  if (!iterationsLeft(state))
    return withoutCall({ ...withoutSteers(state, telling, event), standing }, event);
  const queue = [...telling, ...state.queue].sort(byTime);
  return withoutCall({ ...withPerhapsHeard(state, telling), standing, queue }, event);
}

/** The state in which these steers come to nothing, and their authors are told so. */
function withoutSteers<S extends State>(state: S, steers: readonly QueuedSteer[], { id }: Event): S {
  const words = { say: 'told', how: 'too_late' } as const;
  const replies = steers.map(
    ({ author: to }, nth): PendingEffect => ({ id: `${id}:too_late:${nth}`, do: 'reply', words, to }),
  );
  return { ...withPerhapsHeard(state, steers), owed: [...state.owed, ...replies] };
}

function withWords(state: State, steer: Steer): State['iterations'] {
  const { steers, prompt } = currentIteration(state);
  const words = prompt === '' ? steer.prompt : `${prompt}\n\n${steer.prompt}`;
  return updateIteration(state, { steers: [...steers, steer], prompt: words });
}

interface Answer {
  readonly steer: QueuedSteer;
  readonly words: ReplyContent;
}

function replied(step: Next, { id }: EventOf<'steer_told'>, { steer, words }: Answer): Next {
  return withEffect(step, { id: `${id}:reply`, do: 'reply', words, to: steer.author });
}

/** A handler of an event with which the agent ends, unless it is only what became of a former holder. */
export function ending<E extends Event>(
  handle: (state: In<'working'>, event: E) => Step,
): (state: In<'working'>, event: E) => Step {
  return (state, event) => {
    const isOfAnother = 'hold' in event && !holdsLease(state, event.hold);
    return handle(isOfAnother ? state : withoutAgent(state, event), event);
  };
}
