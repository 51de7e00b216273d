import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { allPhases } from './phases.ts';
import { sequences, stateAfter, transitionsOf } from './random-sequences.ts';
import { claims, type Transition } from './transitions.ts';

/** To play a sequence takes far longer than to look at it, so everything looks at the same ones. */
function holdsOf(transition: Transition): void {
  for (const [claim, check] of Object.entries(claims))
    try {
      check(transition);
    } catch (cause) {
      throw new Error(`not true after ${transition.event.type}: ${claim}`, { cause });
    }
}

/** Once each, and under a unique name. */
function expectEffectsOnce(transitions: readonly Transition[]): void {
  const fresh = transitions.flatMap(({ before, after }) =>
    after.owed.filter(({ id }) => !before.owed.some((known) => known.id === id)),
  );
  expect(new Set(fresh.map(({ id }) => id)).size).toBe(fresh.length);
  for (const { after } of transitions)
    expect(new Set(after.owed.map(({ id }) => id)).size).toBe(after.owed.length);
}

/** Only after a person with the right to it allowed exactly that. */
function expectAllowedWork(transitions: readonly Transition[]): void {
  const allowed = new Set<string>();
  for (const { before, event, after } of transitions) {
    const { standing } = before;
    if (standing.phase === 'awaiting_permission' && 'held' in standing && after.standing.phase === 'queued')
      if (after.standing.work === 'land') {
        expect(event.type === 'said' && event.command.type).toBe('allow');
        allowed.add(standing.held.work.head);
      }
    if (event.type === 'work_finished' && standing.phase === 'working' && standing.held)
      expect(allowed).toContain(standing.held.work.head);
  }
}

/** From the events that were accepted, as the ledger keeps them. */
function expectSameReplayed(first: Event, transitions: readonly Transition[]): void {
  const accepted = transitions.filter(({ verdict }) => verdict.outcome === 'next').map(({ event }) => event);
  let state = stateAfter(decide(undefined, first));
  for (const event of accepted) state = stateAfter(decide(state, JSON.parse(JSON.stringify(event))));
  expect(state).toEqual(transitions.at(-1)?.after);
}

test('in any sequence of events, every claim holds', () => {
  // The inputs are frozen, so a mutation throws.
  fc.assert(
    fc.property(sequences, ([first, events]) => {
      const transitions = transitionsOf(first, events);
      for (const transition of transitions) holdsOf(transition);
      expectEffectsOnce(transitions);
      expectAllowedWork(transitions);
      expectSameReplayed(first, transitions);
    }),
    { numRuns: 150 },
  );
});

test('the random sequences reach every phase', () => {
  const seen = new Set<string>();
  for (const [first, events] of fc.sample(sequences, { numRuns: 1200, seed: 11 })) {
    for (const { after } of transitionsOf(first, events)) seen.add(after.standing.phase);
    if (allPhases.every((each) => seen.has(each))) break;
  }
  expect(allPhases.filter((each) => !seen.has(each))).toEqual([]);
});
