import { expect, test } from 'vitest';
import { costPhrase, costText, counted } from '../../src/text/amounts.ts';

test.each([
  [{}, ''],
  [{ usd: 4.2 }, '4.20 USD'],
  [{ tokens: 2_000_123, usd: 0 }, '0.00 USD, 2,000,123 tokens'],
  [{ tokens: 1, usd: 0.004 }, 'under 0.01 USD, 1 token'],
])('%j reads %j', (cost, text) => {
  expect(costText(cost)).toBe(text);
});

test('a sentence joins money and tokens', () => {
  expect(costPhrase({ tokens: 12, usd: 0.123 })).toBe('0.12 USD and 12 tokens');
  expect(counted(3000, 'file')).toBe('3,000 files');
});
