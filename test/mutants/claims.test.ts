import fc from 'fast-check';
import { test } from 'vitest';
import { sequences, transitionsOf } from '../steering/random-sequences.ts';
import { claims } from '../steering/transitions.ts';

const { COXSWAIN_RANDOM_EVENTS: events = '20000', COXSWAIN_RANDOM_SEED: given = '1' } = process.env;
const batch = 100;

test('what is true of every transition', () => {
  for (let [played, seed] = [0, Number(given)]; played < Number(events); seed++)
    for (const [first, random] of fc.sample(sequences, { numRuns: batch, seed })) {
      const transitions = transitionsOf(first, random);
      played += transitions.length;
      for (const transition of transitions) for (const check of Object.values(claims)) check(transition);
      if (played >= Number(events)) return;
    }
});
