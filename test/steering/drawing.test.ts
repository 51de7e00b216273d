import { expect, test } from 'vitest';
import { comesLast } from '../../src/steering/state/pending-effect.ts';
import { ada, bob } from './samples.ts';
import { type Story, story } from './story.ts';

/** A run that has ended and owes nothing is not looked at again, so its end is drawn before that. */

const waiting = () => story().starts().works();
const approved = () => waiting().says(bob, '/approve').confirms();

const ends: readonly [string, Story, (run: Story) => Story][] = [
  ['is merged', approved(), (run) => run.merges(bob)],
  ['is closed when it is approved', approved(), (run) => run.closes(ada)],
  ['is closed while it waits', waiting(), (run) => run.closes(ada)],
  ['is closed before any work', story().starts(), (run) => run.closes(ada)],
  ['is rejected', waiting(), (run) => run.says(ada, '/reject no')],
  ['is cancelled', story().starts(), (run) => run.says(ada, '/cancel')],
];

test.each(ends)('a run that %s owes something until that is drawn', (_, run, end) => {
  const before = run.effects.length;
  end(run);
  // A withdrawal from before may still be owed.
  const owed = [...run.state.owed, ...run.effects.slice(before)];
  expect(owed.filter((effect) => !comesLast(effect))).not.toEqual([]);
});

test('the end of a run is told once to those who depend on it, whoever presents it', () => {
  const run = story().starts({ presenter: 'action' }).works().says(bob, '/approve').confirms();
  run.merges(bob).says(ada, '/status');
  expect(run.effects.filter((effect) => effect.do === 'wake')).toHaveLength(1);
});
