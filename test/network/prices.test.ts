import { describe, expect, test } from 'vitest';
import { noTokens } from '../../src/network/spending/model-budget.ts';
import { pricesWith, publicPrices } from '../../src/network/spending/prices.ts';

const million = 1_000_000;
const inputOf = (model: string) =>
  pricesWith()
    .costOf(model, { ...noTokens, input: 1000 })
    ?.toFixed(6);

describe('the price of a model', () => {
  test.each([
    ['gpt-5.5', '0.005000'],
    ['gpt-5.5-2026-04-23', '0.005000'],
    ['openai/gpt-5.5', '0.005000'],
    ['GPT-5.5', '0.005000'],
    ['gpt-5.4-mini', '0.000750'],
    ['gpt-5.4-mini-2026-03-17', '0.000750'],
    ['claude-opus-4-5-20251101', '0.005000'],
    ['claude-opus-4-5@20251101', '0.005000'],
    ['claude-opus-4-5[1m]', '0.005000'],
    ['anthropic/claude-opus-4.5', '0.005000'],
    ['claude-opus-4-20250514', '0.015000'],
    ['claude-haiku-4-5-latest', '0.001000'],
    ['models/gemini-2.5-pro', '0.001250'],
    ['gemini-2.5-flash-preview-09-2025', '0.000300'],
    ['gemini-3.1-pro-preview', '0.002000'],
  ])('is found: %s', (model, cost) => {
    expect(inputOf(model)).toBe(cost);
  });

  test.each([
    'gpt-5.5-mini',
    'gpt-5.55',
    'gpt-7',
    'claude-opus-4-9',
    'claude-opus',
    'my-gpt-5.5',
    'constructor',
    '',
  ])('is not taken from another model: %s', (model) => {
    expect(inputOf(model)).toBeUndefined();
  });

  test('differs for each kind of tokens', () => {
    const { costOf } = pricesWith();
    const kinds = {
      input: 1000,
      cached_input: 1000,
      cache_write: 1000,
      long_cache_write: 1000,
      output: 1000,
    };
    const each = Object.entries(kinds).map(([kind, count]) =>
      costOf('claude-opus-4-8', { ...noTokens, [kind]: count }),
    );
    expect(each).toEqual([0.005, 0.0005, 0.00625, 0.01, 0.025]);
  });

  test('is higher for all of a long request', () => {
    const { costOf } = pricesWith();
    expect(costOf('gpt-5.5', { ...noTokens, cached_input: 272_000, output: million })).toBeCloseTo(
      0.136 + 30,
    );
    expect(costOf('gpt-5.5', { ...noTokens, cached_input: 272_001, output: million })).toBeCloseTo(
      0.272 + 45,
    );
  });

  test('is the operator’s own where there is one, the most exact first', () => {
    const { costOf } = pricesWith([
      { model: 'gpt-*', input: 1, output: 1 },
      { model: 'gpt-5.5', input: 2, output: 2, cached_input: 0.5 },
      { model: 'my.model', input: 3, output: 3 },
      { model: '*/llama-*', input: 4, output: 4 },
    ]);
    const cost = (model: string) => costOf(model, { ...noTokens, input: million });
    expect(['gpt-9', 'gpt-5.5', 'my.model', 'myXmodel', 'meta/llama-4'].map(cost)).toEqual([
      1,
      2,
      3,
      undefined,
      4,
    ]);
    expect(costOf('gpt-5.5', { ...noTokens, cached_input: million, cache_write: million })).toBe(2.5);
    expect(cost('claude-opus-4-8')).toBe(5);
  });
});

test('the table names each model once, and none costs more to read from the cache than anew', () => {
  const names = publicPrices.map(({ model }) => model);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  expect(
    publicPrices.filter(({ input, cached_input = 0, output }) => cached_input > input || output < input),
  ).toEqual([]);
});
