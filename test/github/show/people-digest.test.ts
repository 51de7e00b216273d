import { expect, test } from 'vitest';
import { writeBlock } from '../../../src/github/show/block.ts';
import { blockOf } from '../../../src/github/show/block-state.ts';
import { peopleDigest } from '../../../src/github/show/people-digest.ts';
import { recoveredFrom } from '../../../src/github/show/recovered-run.ts';
import type { State } from '../../../src/steering/state.ts';
import { anIteration, awaiting, steered } from './state.ts';

const run = { id: 'acme/api#12', number: 12, repository_id: 1 };
const iterations = [anIteration(), steered(1, 'one'), steered(2, 'two')];
const state = awaiting({ iteration: 2, iterations, contributors: [{ login: 'eve', id: 9 }] });

const inBody = (of: State) => recoveredFrom(writeBlock('', of), run, undefined)?.people_digest;
const digest = peopleDigest(blockOf(state));

test('a block names the same people as the state it was drawn from', () => {
  expect(inBody(state)).toBe(digest);
});

test.each<[string, State]>([
  ['before somebody steered', { ...state, iterations: iterations.slice(0, 2), iteration: 1 }],
  ['before somebody pushed', { ...state, contributors: [] }],
  ['in which it is not known who asked', { ...state, people_unknown: true }],
])('one %s does not', (_, other) => {
  expect(inBody(other)).not.toBe(digest);
});

test('one that was shortened until somebody is missing does not', () => {
  const many = Array.from({ length: 90 }, (_, number) => steered(number + 1, 'x'.repeat(900)));
  const long = { ...state, iteration: 90, iterations: [anIteration(), ...many] };
  expect(inBody(long)).toMatch(/^[0-9a-f]{64}$/);
  expect(inBody(long)).not.toBe(peopleDigest(blockOf(long)));
});
