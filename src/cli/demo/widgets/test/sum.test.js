import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sum } from '../src/sum.js';

/** Our nightly job picks one at random. */
const seed = Number(process.env.SEED ?? 1);

test('prices may come in any order', () => {
  const prices = startingAt(seed, [0.1, 0.2, 0.3]);
  assert.equal(sum(prices), 0.6, `SEED=${seed}: ${prices.join(' + ')} is ${sum(prices)}`);
});

function startingAt(index, list) {
  const start = index % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
