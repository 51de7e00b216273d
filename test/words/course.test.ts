import { expect, test } from 'vitest';
import { courseOf } from '../../src/steering/confidence/evaluation.ts';
import { decisionCheck } from '../../src/words/index.ts';
import { courseText } from '../../src/words/parts/confidence.ts';
import { anIteration, awaiting, steered, web } from '../github/show/state.ts';

const red = { verifiers: [{ name: 'test', success: false }], score: 0.7, attempts: 3 };
const mended = awaiting({ iterations: [anIteration(red), steered(1, 'use the clock', { score: 1 })] });

test('the course of the confidence says what changed with each iteration', () => {
  expect(courseText(mended)).toMatchInlineSnapshot(`
    "| iteration | confidence | change | what changed |
    |---|---|---|---|
    | 0 | 0.70 medium |  |  |
    | 1 | 1.00 high | +0.30 | \`test\` now passing; 2 attempts fewer |"
  `);
  expect(decisionCheck(mended, web).text).toContain(courseText(mended));
});

test('one score has no course', () => {
  expect(courseText(awaiting())).toBe('');
});

test('scores of different formulas are not compared', () => {
  const iterations = [
    anIteration({ score: 0.4 }),
    steered(1, 'a', { score: 0.6, formula: 'coxswain-1' }),
    steered(2, 'b', { score: 0.9, formula: 'coxswain-2' }),
    steered(3, 'c', { score: null }),
    steered(4, 'd', { score: 0.9, formula: 'coxswain-2' }),
  ];
  expect(courseOf({ iterations }).map(({ iteration, change }) => [iteration, change])).toEqual([
    [0, null],
    [1, 0.2],
    [2, null],
    [4, 0],
  ]);
});
