import { describe, expect, test } from 'vitest';
import type { Cost } from '../../src/steering/shapes/attempt-result.ts';
import { decisionCheck, statusText } from '../../src/words/index.ts';
import { costLine } from '../../src/words/parts/attempt-texts.ts';
import { anIteration, aState, awaiting, web } from '../github/show/state.ts';

const costing = (...costs: readonly Cost[]) => ({
  iteration: costs.length - 1,
  iterations: costs.map((cost, iteration_number) => anIteration({ iteration_number, cost })),
});

describe('what a run has cost', () => {
  test('is in the check run and in the status', () => {
    const state = awaiting(costing({ usd: 0.42, tokens: 1200 }));
    expect(decisionCheck(state, web).summary).toContain('\n\n**Cost** 0.42 USD, 1,200 tokens.\n\n');
    expect(statusText(state)).toContain('\nCost: 0.42 USD, 1,200 tokens\n');
  });

  test('tells the current iteration apart', () => {
    const state = awaiting(costing({ usd: 1, tokens: 1000 }, { usd: 0.5, tokens: 200 }));
    expect(costLine(state)).toBe('**Cost** 1.50 USD, 1,200 tokens; this iteration: 0.50 USD, 200 tokens.');
    expect(costLine(awaiting(costing({ usd: 1 }, {})))).toBe(
      '**Cost** 1.00 USD; no cost was reported for this iteration.',
    );
  });

  test('is not said while work goes on, where it would be drawn anew with every attempt', () => {
    expect(costLine(aState(costing({ usd: 1 })))).toBe('');
    expect(costLine(awaiting())).toBe('');
  });
});
