import fc from 'fast-check';
import { decide } from '../../src/steering/decide.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Verdict } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import { anyFirst } from './random-beginning.ts';
import { eventOf, type RandomEvent, randomEvent } from './random-events.ts';
import type { Transition } from './transitions.ts';

/** How a run begins, and what happens to it. */
export const sequences = fc.tuple(
  anyFirst,
  fc.array(randomEvent, { minLength: 1, maxLength: 60, size: 'max' }),
);

export function transitionsOf(first: Event, randomEvents: readonly RandomEvent[]): readonly Transition[] {
  let state = stateAfter(decide(undefined, first));
  return randomEvents.map((random, index) => {
    const event = frozen(eventOf(random, state, index + 1));
    const before = state;
    const verdict = decide(before, event);
    state = verdict.outcome === 'next' ? frozen(verdict.state) : before;
    return { before, event, verdict, after: state };
  });
}

export function stateAfter(verdict: Verdict): State {
  if (verdict.outcome === 'nothing') throw new Error('the event changed nothing');
  return frozen(verdict.state);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
