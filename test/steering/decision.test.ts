import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bandOf, type Decision, decisionOf } from '../../src/steering/shapes/score.ts';
import type { ApprovalMode } from '../../src/steering/shapes/settings.ts';

interface DecisionVector {
  readonly id: string;
  readonly mode: ApprovalMode;
  readonly score: number;
  readonly gated: boolean;
  readonly unverified: boolean;
  readonly threshold: number | null;
  readonly expected: Decision;
}

const file = new URL('../fixtures/vectors/decisions.json', import.meta.url);
// The fixture is ours, and a vector of another shape fails its own test below.
const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly DecisionVector[];

test('there are 23 decision vectors', () => {
  expect(vectors).toHaveLength(23);
});

test.each(vectors)('a passing commit is decided as vector $id says', (vector) => {
  const { mode, score, gated, unverified, threshold, expected } = vector;
  const confidence = { score, band: bandOf(score), unverified };
  expect(decisionOf({ confidence, gated, mode, threshold: threshold ?? 0.8 })).toBe(expected);
});
