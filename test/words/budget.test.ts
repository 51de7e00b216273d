import { describe, expect, test } from 'vitest';
import type { Cost } from '../../src/steering/shapes/attempt-result.ts';
import type { BudgetName, Limits } from '../../src/steering/shapes/limits.ts';
import { askText, decisionCheck } from '../../src/words/index.ts';
import { web } from '../github/show/state.ts';
import { ada } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

interface Spending {
  readonly limits: Partial<Limits>;
  readonly most?: Partial<Limits>;
  readonly cost?: Cost;
}

function usedUp(
  budget: BudgetName,
  { limits, most, cost = { usd: 5.2, tokens: 2_000_123 } }: Spending,
): Story {
  const settings = { limits: { minutes: 60, ...limits }, ...(most && { most }) };
  return story(settings).starts().agent.fails('budget', 'it is used up', { budget, cost });
}

function told({ state }: Story): string {
  return askText(state, web);
}

describe('a used-up budget', () => {
  test('says what was spent and how to go on', () => {
    const run = usedUp('tokens', { limits: { tokens: 2_000_000 } });
    expect(told(run)).toContain('stopped because its budget is used up');
    expect(told(run)).toContain(
      'This run has used 5.20 USD and 2,000,123 tokens so far. The limit is 2,000,000 tokens (`limits.tokens`). ' +
        'To raise it for this run and go on: `/budget +500k tokens`. For every run: raise it in',
    );
    expect(decisionCheck(run.state, web).summary).toContain('then use `/retry`');
  });

  test('of a day is not to be raised', () => {
    const run = usedUp('cost_usd_per_day', { limits: {} });
    expect(told(run)).toContain('the operator of Coxswain sets it (`limits.cost_usd_per_day`)');
  });

  test.each([
    { limits: { cost_usd: 5 }, most: { cost_usd: 5 } },
    // What is left is spent already.
    { limits: { cost_usd: 5 }, most: { cost_usd: 5.15 } },
  ])('at the bound of the operator is theirs to raise: $most', (spending) => {
    const text = told(usedUp('cost_usd', spending));
    expect(text).toMatch(/The operator of Coxswain allows at most 5\.\d\d USD: ask them to allow more, then/);
    expect(text).not.toContain('go on: `/budget');
    expect(text).not.toContain('coxswain.yml');
  });

  test.each([
    ['cost_usd', { limits: { cost_usd: 5 } }, '+5 usd'],
    ['cost_usd', { limits: { cost_usd: 5 }, most: { cost_usd: 5.3 } }, '+0.30 usd'],
    ['cost_usd', { limits: { cost_usd: 5 }, cost: { usd: 21 } }, '+20 usd'],
    ['tokens', { limits: { tokens: 2_000_000 }, most: { tokens: 2_100_000 } }, '+100k tokens'],
    ['tokens', { limits: { tokens: 2_000_000 }, most: { tokens: 2_000_500 } }, '+500 tokens'],
    ['tool_calls', { limits: { tool_calls: 100 } }, '+100 calls'],
    ['tool_calls', { limits: { tool_calls: 100 }, most: { tool_calls: 130 } }, '+30 calls'],
  ] as const)('of %s, %j, is raised with an example that is accepted: %s', (budget, spending, example) => {
    const run = usedUp(budget, spending);
    expect(told(run)).toContain(`go on: \`/budget ${example}\`.`);
    expect(run.says(ada, `/budget ${example}`).phase).toBe('queued');
  });
});
