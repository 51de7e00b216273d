import type { Event } from './event.ts';
import type { In } from './state.ts';
import type { Step } from './step.ts';
import { withoutAgent } from './telling.ts';

/** A handler of an event with which the agent ends. */
export function ending<E extends Event>(
  handle: (state: In<'working'>, event: E) => Step,
): (state: In<'working'>, event: E) => Step {
  return (state, event) => handle(withoutAgent(state, event), event);
}
