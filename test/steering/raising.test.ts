import { describe, expect, test } from 'vitest';
import { readTasks } from '../../src/github/markdown/task-blocks.ts';
import { parseSlashCommand } from '../../src/steering/commands/index.ts';
import { limitsOf } from '../../src/steering/iterations/spending.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import type { Limits } from '../../src/steering/shapes/limits.ts';
import { ada, bob, rea } from './samples.ts';
import { type Story, story } from './story.ts';

const limits: Limits = { minutes: 60, cost_usd: 5, tokens: 1_000_000 };

function usedUp(budget: 'cost_usd' | 'tokens' | 'tool_calls' | 'cost_usd_per_day', own = limits): Story {
  const run = story({ limits: { ...own, tool_calls: 100 } }).starts();
  return run.agent.fails('budget', 'it is used up', { budget, cost: { usd: 5.2, tokens: 900_000 } });
}

describe('/budget', () => {
  test('raises the limit that is used up, and goes on', () => {
    const run = usedUp('cost_usd').says(ada, '/budget +3');
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
    expect(limitsOf(run.state)).toEqual({ ...limits, cost_usd: 8, tool_calls: 100 });
    expect(run.replies.at(-1)).toEqual({ say: 'raised', limit: 'cost_usd', to: 8 });
    expect(run.subject).toBe('ada raised cost_usd to 8');
  });

  test('raises nothing beyond what the operator allows later on', () => {
    const run = usedUp('cost_usd').says(ada, '/budget +3');
    const settings = { ...run.state.settings, most: { cost_usd: 6 } };
    expect(limitsOf(run.engine.takes('engine', { settings }).state).cost_usd).toBe(6);
  });

  test('adds up', () => {
    const run = usedUp('tool_calls').says(ada, '/budget +50');
    expect(limitsOf(run.state).tool_calls).toBe(150);
    run.agent.fails('budget', 'again', { budget: 'tool_calls' });
    expect(limitsOf(run.says(ada, '/budget +50 calls').state).tool_calls).toBe(200);
  });

  test('raises a limit while the agent works, and when nothing is used up', () => {
    const run = story({ limits }).starts().engine.takes().says(ada, '/budget +1.50 usd');
    expect(run.phase).toBe('working');
    expect(limitsOf(run.state).cost_usd).toBe(6.5);
    expect(limitsOf(run.works().says(ada, '/budget +500k tokens').state).tokens).toBe(1_500_000);
    expect(run.phase).toBe('awaiting_approval');
  });

  test('is heeded also in the moment in which the limit is used up', () => {
    const run = story({ limits }).starts().engine.takes().says(ada, '/budget +5 usd');
    const used = { budget: 'cost_usd', cost: { usd: 5.1 } } as const;
    run.agent.fails('budget', 'it is used up', used);
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
    run.agent.fails('budget', 'it is used up', used);
    expect(run.phase).toBe('awaiting_resolution');
  });

  test.each(['tokens', 'tool_calls', 'cost_usd_per_day'] as const)(
    'is not heeded in that moment where %s are used up',
    (budget) => {
      const run = story({ limits }).starts().engine.takes().says(ada, '/budget +5 usd');
      run.agent.fails('budget', 'it is used up', { budget, cost: { usd: 1 } });
      expect(run.phase).toBe('awaiting_resolution');
    },
  );

  test('gives no more attempts than there are', () => {
    const run = story({ limits, attempts: { max: 1 } })
      .starts()
      .engine.takes()
      .says(ada, '/budget +5 usd');
    run.agent.fails('budget', 'it is used up', { budget: 'cost_usd', cost: { usd: 5.1 } });
    expect(run.phase).toBe('awaiting_resolution');
  });

  test('is for tool calls where only they are limited', () => {
    const run = story({ limits: { minutes: 60, tool_calls: 100 } })
      .starts()
      .works();
    expect(run.says(ada, '/budget +0.5').refusal).toMatchObject({ why: 'misspoken', command: 'budget' });
    expect(limitsOf(run.says(ada, '/budget +100').state).tool_calls).toBe(200);
  });

  test('counts whole tokens', () => {
    const run = usedUp('tokens').says(ada, '/budget +0.5');
    expect(run.refusal).toMatchObject({ why: 'misspoken', problem: expect.stringContaining('+500k tokens') });
    expect(run.state.raised).toBeUndefined();
  });

  test('is not enough if as much is already spent', () => {
    const run = usedUp('cost_usd').says(ada, '/budget +0.20');
    expect(run.refusal).toEqual({ why: 'not_enough', limit: 'cost_usd', spent: 5.2, raised: 5.2 });
  });

  test('goes on with more tool calls, whatever the run has cost', () => {
    const run = story({ limits: { minutes: 60, tool_calls: 3 } }).starts();
    run.agent.fails('budget', 'it is used up', { budget: 'tool_calls', cost: { usd: 5.2, tokens: 9_000 } });
    run.says(ada, '/budget +1');
    expect(run.phase).toBe('queued');
  });

  test('is for whoever steered as well, who may not approve', () => {
    const run = story({ limits, approval: { steerer_may_approve: false } })
      .starts()
      .works();
    run.says(bob, '/steer more').works().says(bob, '/budget +5 usd');
    expect(limitsOf(run.state).cost_usd).toBe(10);
  });

  test('does not go on when another limit than the one that is used up is raised', () => {
    expect(usedUp('cost_usd').says(ada, '/budget +1m tokens').phase).toBe('awaiting_resolution');
  });

  test('is not enough if more is already spent', () => {
    const run = usedUp('cost_usd').says(ada, '/budget +0.10');
    expect(run.refusal).toEqual({ why: 'not_enough', limit: 'cost_usd', spent: 5.2, raised: 5.1 });
    expect(run.state.raised).toBeUndefined();
  });

  test('stays within what the operator allows', () => {
    const run = story({ limits, most: { cost_usd: 10 } })
      .starts()
      .works();
    expect(run.says(ada, '/budget +6').refusal).toEqual({
      why: 'beyond_operator',
      limit: 'cost_usd',
      most: 10,
    });
    expect(limitsOf(run.says(ada, '/budget +5').state).cost_usd).toBe(10);
  });

  test('cannot raise what has no limit, nor the budget of a day', () => {
    const run = story().starts().works();
    expect(run.says(ada, '/budget +5').refusal).toEqual({ why: 'no_limit', limit: null });
    expect(run.says(ada, '/budget +5 calls').refusal).toEqual({ why: 'no_limit', limit: 'tool_calls' });
    expect(usedUp('cost_usd_per_day').says(ada, '/budget +5').refusal).toMatchObject({ daily: true });
  });

  test('is available only where there is a limit to raise', () => {
    const listed = (own: Partial<Limits>) =>
      possibleIn(story({ limits: { minutes: 60, ...own } }).starts().state).includes('budget');
    expect([{}, { cost_usd: 5 }, { tokens: 9 }, { tool_calls: 9 }].map(listed)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test('is for those who may approve', () => {
    expect(usedUp('cost_usd').says(rea, '/budget +3').refusal).toMatchObject({ why: 'not_permitted' });
  });
});

test.each([
  ['+5', { more: 5, limit: null }],
  ['+$2.50', { more: 2.5, limit: 'cost_usd' }],
  ['+2.5 USD', { more: 2.5, limit: 'cost_usd' }],
  ['+500k tokens', { more: 500_000, limit: 'tokens' }],
  ['+ 1.5m tokens', { more: 1_500_000, limit: 'tokens' }],
  ['+100 tool calls', { more: 100, limit: 'tool_calls' }],
])('/budget %s is understood', (line, expected) => {
  expect(parseSlashCommand({ word: 'budget', line, body: line }, readTasks)).toEqual({
    type: 'budget',
    ...expected,
  });
});

test.each(['', '5', '-5', '+0', '+5 euros', '+0.5 calls', '+1e9', '+$5 tokens', '+5 usd now'])(
  '/budget %j is a mistake',
  (line) => {
    expect(parseSlashCommand({ word: 'budget', line, body: line }, readTasks)).toMatchObject({
      type: 'misspoken',
    });
  },
);
