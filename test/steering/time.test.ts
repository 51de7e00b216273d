import { expect, test } from 'vitest';
import { byTime, isBefore, isSurelyBefore, later } from '../../src/steering/shapes/time.ts';

const ten = '2026-11-21T10:00:00Z';
const tenElsewhere = '2026-11-21T11:00:00+01:00';
const justAfter = '2026-11-21T10:00:00.500Z';
const next = '2026-11-21T10:00:01+00:00';

test.each([
  [ten, justAfter],
  [tenElsewhere, justAfter],
  [justAfter, next],
  [ten, next],
])('%s is before %s', (one, other) => {
  expect([isBefore(one, other), isBefore(other, one)]).toEqual([true, false]);
  expect([later(one, other), later(other, one)]).toEqual([other, other]);
});

test('the same moment is not before itself, however it is written', () => {
  expect([isBefore(ten, tenElsewhere), isBefore(tenElsewhere, ten)]).toEqual([false, false]);
  expect(later(undefined, ten)).toBe(ten);
});

test('what happened in the same second may have happened later', () => {
  expect(isSurelyBefore(ten, justAfter)).toBe(false);
  expect(isSurelyBefore(justAfter, ten)).toBe(false);
  expect(isSurelyBefore(justAfter, next)).toBe(true);
});

test('times are sorted as moments, the oldest first', () => {
  const sorted = [{ at: next }, { at: justAfter }, { at: tenElsewhere }].toSorted(byTime);
  expect(sorted.map(({ at }) => at)).toEqual([tenElsewhere, justAfter, next]);
});
