import { expect, test } from 'vitest';
import { trialTime } from '../../src/steering/shapes/proof.ts';

const minute = 60_000;
const settings = (timeout_s: number) => ({
  verifiers: [{ name: 'test', run: 'true', timeout_s, required: true }],
  limits: { minutes: 10 },
});

test.each([
  ['three times as long and a minute more', 600, 2 * minute, 7 * minute],
  ['no longer than the time limits of the verifiers and the set-up', 60, 9 * minute, 11 * minute],
  ['no longer than half an hour', 7200, 20 * minute, 30 * minute],
  ['no time at all, where they took longer than that', 7200, 31 * minute, undefined],
])('the verifiers have %s when they are run once more', (_, timeout_s, tookMs, expected) => {
  expect(trialTime(settings(timeout_s), tookMs)).toBe(expected);
});

test('a time in parts of milliseconds becomes a whole one', () => {
  expect(trialTime(settings(600), 0.4)).toBe(minute + 2);
});
