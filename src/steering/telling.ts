import { steerNow, steerOf, steerOrQueue } from './command-handlers.ts';
import type { Event, EventOf } from './event.ts';
import { holdsLease } from './fence.ts';
import { currentIteration, iterationsLeft, startIteration, steersIn, updateIteration } from './iterations.ts';
import type { QueuedSteer, Steer } from './queued-steer.ts';
import type { CommandEventOf } from './row.ts';
import type { Working } from './standing.ts';
import type { In, State } from './state.ts';
import { accepted, type Next, next, nothing, type Step, withEffect } from './step.ts';
import { withoutCall } from './tool-calls.ts';

/** Steers that reach an agent in the middle of its work. */

/** Beyond this many in one iteration, a steer begins the next. */
const maxTold = 10;

/** With `--now` the agent at work is told, if it can be; otherwise it is stopped, and the next iteration begins. */
export function steerAgent(state: In<'working'>, event: CommandEventOf<'steer'>): Step {
  if (!event.command.now) return steerOrQueue(state, event);
  if (event.command.with !== undefined || !canBeTold(state))
    return steerNow(withoutAgent(state, event), event);
  const steer: QueuedSteer = { ...steerOf(event), id: event.id, at: event.at };
  const { standing } = state;
  const telling = [...(standing.telling ?? []), steer];
  const subject = `Tell the agent at work, from ${event.by.login}`;
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
  const others = (standing.telling ?? []).filter((each) => each !== steer);
  const { telling: _, ...rest } = standing;
  const working: Working = { ...rest, ...(others.length > 0 && { telling: others }) };
  const { how } = event;
  if (how === 'unable') return notTold({ ...state, standing: working }, event, steer);
  const iterations = withWords(state, { ...steersIn([steer])[0], told: how } as Steer);
  const subject = `The agent at work was told what ${steer.author} wrote`;
  return replied(next(state, { standing: working, iterations }, subject), event, steer);
}

/** As a steer for an agent that cannot be told anything. */
function notTold(state: In<'working'>, event: EventOf<'steer_told'>, steer: QueuedSteer): Step {
  if (iterationsLeft(state)) {
    const steers = [...steersIn(state.queue), ...steersIn([steer])];
    return replied(startIteration(withoutCall(state, event), event, steers), event, steer);
  }
  return next(state, { queue: [...state.queue, steer] }, `Queue a steer from ${steer.author}`);
}

/** The state when its agent ends: it waits for nobody, and what it was not told begins the next iteration. */
export function withoutAgent(state: In<'working'>, event: Event): In<'working'> {
  const { telling = [], ...standing } = state.standing;
  const quiet = telling.length === 0 ? state : { ...state, standing, queue: [...telling, ...state.queue] };
  return withoutCall(quiet, event);
}

function withWords(state: State, steer: Steer): State['iterations'] {
  const { steers, prompt } = currentIteration(state);
  const words = prompt === '' ? steer.prompt : `${prompt}\n\n${steer.prompt}`;
  return updateIteration(state, { steers: [...steers, steer], prompt: words });
}

function replied(step: Next, { id, how }: EventOf<'steer_told'>, { author: to }: QueuedSteer): Next {
  return withEffect(step, { id: `${id}:reply`, do: 'reply', words: { say: 'told', how }, to });
}
