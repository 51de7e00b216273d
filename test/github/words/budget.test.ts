import { describe, expect, test } from 'vitest';
import { budgetText } from '../../../src/github/words/budget.ts';
import type { BudgetName } from '../../../src/steering/attempt-result.ts';
import type { Limits, Settings } from '../../../src/steering/settings.ts';
import { anInteraction, anIteration, aState, at, head } from '../show/state.ts';

/** A run that stopped because this budget was used up. */
function stoppedBy(budget: BudgetName, limits: Partial<Limits>, most?: Settings['most']) {
  const { settings } = aState();
  const failure = { kind: 'budget', budget, message: 'It is used up' } as const;
  const of = { attempt: 1, outcome: 'failed', head, summary: '', verifiers: [], duration_s: 60 } as const;
  return aState({
    settings: { ...settings, limits: { ...settings.limits, ...limits }, ...(most && { most }) },
    iterations: [anIteration({ cost: { usd: 4.2 } })],
    attempts: [{ ...of, failure }],
    standing: {
      phase: 'awaiting_resolution',
      interaction: anInteraction({ kind: 'interrupt' }),
      interrupt: { type: 'budget_exceeded', retry_count: 0, failure_reason: '' },
      deadline: at,
    },
  });
}

describe('a run that stopped for its budget', () => {
  test('says what it has used, what the limit is and how to raise it', () => {
    const text = budgetText(stoppedBy('cost_usd', { cost_usd: 4 }));
    expect(text).toBe(
      'This run has used 4.20 USD so far. The limit is 4.00 USD (`limits.cost_usd`). To raise it for this run ' +
        'and go on: `/budget +5 usd`. For every run: raise it in `.github/coxswain.yml` on the default branch, ' +
        'then use `/retry`.',
    );
  });

  test.each([
    ['cost_usd', { cost_usd: 4 }, { cost_usd: 10 }, '10.00 USD'],
    ['tokens', { tokens: 1000 }, { tokens: 5000 }, '5,000 tokens'],
    ['tool_calls', { tool_calls: 5 }, { tool_calls: 50 }, '50 tool calls'],
  ] as const)('names what the operator allows of %s', (budget, limits, most, amount) => {
    const text = budgetText(stoppedBy(budget, limits, most));
    expect(text).toContain(`. The operator of Coxswain allows at most ${amount}. For every run:`);
  });

  test('says nothing of what the operator bounds of other things', () => {
    expect(budgetText(stoppedBy('tokens', { tokens: 1000 }, { cost_usd: 10 }))).not.toContain('operator');
  });

  test('sends people to the operator for what is theirs alone', () => {
    const text = budgetText(stoppedBy('tokens_per_day', {}));
    expect(text).toContain('the operator of Coxswain sets it (`limits.tokens_per_day`)');
    expect(text).not.toContain('/budget');
  });
});

test('nothing is said of a budget where none is used up', () => {
  expect(budgetText(aState())).toBe('');
});
