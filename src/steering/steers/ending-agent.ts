import type { Event } from '../event.ts';
import { holdsLease } from '../fence.ts';
import type { In } from '../state.ts';
import type { Step } from '../step.ts';
import { withoutAgent } from './telling.ts';

/** A handler of an event with which the agent ends, unless it is only what became of a former holder. */
export function ending<E extends Event>(
  handle: (state: In<'working'>, event: E) => Step,
): (state: In<'working'>, event: E) => Step {
  return (state, event) => {
    const isOfAnother = 'hold' in event && !holdsLease(state, event.hold);
    return handle(isOfAnother ? state : withoutAgent(state, event), event);
  };
}
