import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Band } from '../../src/steering/shapes/score.ts';
import { bandOf, scoreOf } from '../../src/steering/shapes/score.ts';

interface ScoreVector {
  readonly id: string;
  readonly input: {
    readonly tier: 0 | 1 | 2;
    readonly checks: { readonly passed: number; readonly total: number };
    readonly reviewerConfidence: number | null;
    readonly retries: number;
    readonly maxRetries: number;
    readonly destructive: boolean;
    readonly toolCalls: { readonly succeeded: number; readonly total: number };
  };
  readonly expected: { readonly score: number; readonly band: Band; readonly unverified: boolean };
}

const file = new URL('../fixtures/vectors/score.json', import.meta.url);
// The fixture is ours, and a vector of another shape fails its own test below.
const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly ScoreVector[];

const ideal = {
  verifiers: { passed: 2, total: 2 },
  reviewer: null,
  retries: 0,
  max_retries: 2,
  destructive: false,
  tool_calls: { succeeded: 0, total: 0 },
  uncertain: false,
};

describe('the score of a commit', () => {
  test('there are 28 vectors', () => {
    expect(vectors).toHaveLength(28);
  });

  test.each(vectors)('is as vector $id says', ({ input, expected }) => {
    const { score, band, unverified } = scoreOf({
      verifiers: input.checks,
      reviewer: input.reviewerConfidence,
      retries: input.retries,
      max_retries: input.maxRetries,
      destructive: input.destructive,
      tool_calls: input.toolCalls,
      uncertain: false,
    });
    expect({ score, band, unverified }).toEqual(expected);
  });

  test('names each component that applies, with weight, value and evidence', () => {
    const names = (of: typeof ideal) => scoreOf(of).components.map(({ name }) => name);
    expect(names(ideal)).toEqual(['verifiers', 'no_retries', 'not_destructive', 'tool_calls']);
    expect(
      scoreOf({ ...ideal, reviewer: 0.5 }).components.map(({ name, weight, value }) => [name, weight, value]),
    ).toMatchInlineSnapshot(`
        [
          [
            "verifiers",
            0.3,
            1,
          ],
          [
            "reviewer",
            0.3,
            0.5,
          ],
          [
            "no_retries",
            0.2,
            1,
          ],
          [
            "not_destructive",
            0.1,
            1,
          ],
          [
            "tool_calls",
            0.1,
            1,
          ],
        ]
      `);
  });

  test('is at most 0.49 when the agent is uncertain, and says so', () => {
    const { score, band, caps } = scoreOf({ ...ideal, uncertain: true });
    expect({ score, band, caps }).toEqual({
      score: 0.49,
      band: 'low',
      caps: ['the agent is uncertain: at most 0.49'],
    });
  });

  test('is at most 0.79 when the tests changed with the behaviour, and says so', () => {
    const { score, band, caps } = scoreOf({ ...ideal, changes_behaviour: true });
    expect({ score, band, caps }).toEqual({
      score: 0.79,
      band: 'medium',
      caps: ['behavior changes, and its tests change with it: at most 0.79'],
    });
  });

  test('names a cap only where it lowered the score', () => {
    const poor = { ...ideal, verifiers: { passed: 0, total: 0 }, retries: 2, destructive: true };
    expect(scoreOf(poor).caps).toEqual([]);
    expect(scoreOf(poor).unverified).toBe(true);
  });

  test('falls in a band by its lower bound', () => {
    expect([0.8, 0.799999, 0.5, 0.499999, 0.2, 0.199999, 0].map(bandOf)).toEqual([
      'high',
      'medium',
      'medium',
      'low',
      'low',
      'zero',
      'zero',
    ]);
  });
});
