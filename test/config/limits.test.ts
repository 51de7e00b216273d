import { describe, expect, test } from 'vitest';
import { nearLimits } from '../../src/agent/attempt/run-agent.ts';
import { readOperatorFile } from '../../src/config/operator/read-operator-file.ts';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { budget, raiseText as budgetText } from '../../src/steering/commands/budget.ts';
import {
  dailyLimits,
  type LimitName,
  limitNames,
  limits,
  raisableLimits,
  reviewLimits,
} from '../../src/steering/shapes/limits.ts';
import { amountText } from '../../src/words/parts/attempt-texts.ts';

const amount = 20;

function operatorWith(text: string) {
  const reading = readOperatorFile(`version: 1\n${text}`, {});
  if (reading.outcome === 'invalid') throw new Error(JSON.stringify(reading.problems));
  return reading.file;
}

function configured(written: string, operator = '') {
  const { bounds } = operatorWith(operator);
  const text = `version: 1\nagent: codex\n${written}\n`;
  const reading = readConfig(text, { path: 'a.yml', ref: 'main' }, { bounds });
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

describe.each(limitNames)('limits.%s', (name) => {
  const limit = `limits: { ${name}: ${amount} }`;

  test('is set by a configuration, bounded by the operator and lowered by a task', () => {
    expect(configured(limit).limits).toMatchObject({ [name]: amount });
    expect(configured('', limit).limits).toMatchObject({ [name]: amount });
    expect(() => configured(`limits: { ${name}: ${amount + 1} }`, limit)).toThrow(`at most ${amount}`);
    const lowered = withOverrides(configured(limit), { limits: { [name]: amount - 1 } });
    expect(lowered.settings.limits).toMatchObject({ [name]: amount - 1 });
  });
});

describe.each(reviewLimits)('limits.%s', (name) => {
  const limit = `limits: { ${name}: ${amount} }`;

  test('is set by a configuration and bounded by the operator, and no profile changes it', () => {
    expect(configured('')).not.toHaveProperty(name);
    expect(configured(limit)).toMatchObject({ [name]: amount });
    expect(configured(limit).limits).toEqual({ minutes: 60 });
    expect(configured('', limit)).toMatchObject({ [name]: amount });
    expect(configured('', limit)).not.toHaveProperty('most');
    expect(() => configured(`limits: { ${name}: ${amount + 1} }`, limit)).toThrow(`at most ${amount}`);
    expect(() => configured(`agents: { a: { use: claude, ${limit} } }`)).toThrow(name);
  });
});

test('a task lowers how large its change may be, and says nothing of how many runs may be open', () => {
  const settings = configured(`limits: { diff_lines: ${amount} }`);
  const asked = (limits: object) => withOverrides(settings, { limits });
  expect(asked({ diff_lines: amount - 1 }).settings.diff_lines).toBe(amount - 1);
  expect(withOverrides(configured(''), { limits: { diff_lines: 5 } }).settings.diff_lines).toBe(5);
  expect(asked({ diff_lines: amount + 1 }).problems).toMatchObject([
    { path: 'limits.diff_lines', expected: `at most ${amount}, the repository's own` },
  ]);
  expect(asked({ open_runs: 1 }).problems).toHaveLength(1);
});

describe.each(raisableLimits)('limits.%s', (name) => {
  test('is raised by /budget in each of its units, and in the words that we advise', () => {
    for (const text of [...limits[name].raised.units.map((unit) => `+5 ${unit}`), budgetText(name, 5)])
      expect(budget.parse({ word: 'budget', line: text, body: '' }, () => undefined)).toEqual({
        type: 'budget',
        more: 5,
        limit: name,
      });
  });

  test('is told when it is nearly met, and in the words of its amount', () => {
    const used = { cost_usd: 0, tokens: 0, tool_calls: 0, [name]: 9 };
    expect(nearLimits(used, { minutes: 60, [name]: 10 })).toEqual([
      expect.stringContaining(`limits.${name}`),
    ]);
    expect(amountText(name, 2)).toMatch(/^2(?:\.00)? \w/);
  });
});

test.each(dailyLimits)('limits.%s_per_day is the operator’s, for all runs together', (name) => {
  expect(operatorWith(`limits: { ${name}_per_day: ${amount} }`).daily).toEqual({ [name]: amount });
});

test('a limit that is only named does not compile', () => {
  type Grown = Readonly<Record<LimitName | 'dreams', unknown>>;
  // @ts-expect-error nobody says what it counts, and how it is raised
  const facts: Grown = limits;
  // @ts-expect-error nobody measures how much of it is used
  expect(nearLimits({ cost_usd: 0, tokens: 0 }, { minutes: 1 })).toEqual([]);
  expect(Object.keys(facts)).toEqual(limitNames);
});
