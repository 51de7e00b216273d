import { expect, test } from 'vitest';
import { readSampling, sampleOf } from './sampling.ts';

const all = Array.from({ length: 101 }, (_, index) => index);

test('every tenth kill point is tried, starting at the offset and wrapping around', () => {
  expect(sampleOf(all, { every: 10, offset: 995, minutes: 1 })).toEqual([
    86, 96, 5, 15, 25, 35, 45, 55, 65, 75, 85,
  ]);
});

test('with every: 1 all kill points are tried once, whatever the offset', () => {
  const tried = sampleOf(all, { every: 1, offset: 77, minutes: 1 });
  expect(tried[0]).toBe(77);
  expect(new Set(tried).size).toBe(all.length);
});

test('a single kill point can be selected by its offset', () => {
  expect(sampleOf(all, { every: 1000, offset: 42, minutes: 1 })).toEqual([42]);
});

test('the offset differs from run to run, unless it is set', () => {
  const offsets = Array.from({ length: 10 }, () => readSampling({}).offset);
  expect(new Set(offsets).size).toBeGreaterThan(1);
  expect(readSampling({ COXSWAIN_CHAOS_OFFSET: '7', COXSWAIN_CHAOS_EVERY: '3' })).toEqual({
    every: 3,
    offset: 7,
    minutes: 40,
  });
});

test.each([
  ['COXSWAIN_CHAOS_EVERY', '0', 'COXSWAIN_CHAOS_EVERY is "0": expected a whole number from 1, as in'],
  ['COXSWAIN_CHAOS_EVERY', 'all', 'COXSWAIN_CHAOS_EVERY is "all": expected a whole number from 1, as in'],
  ['COXSWAIN_CHAOS_OFFSET', '-1', 'COXSWAIN_CHAOS_OFFSET is "-1": expected a whole number from 0, as in'],
  ['COXSWAIN_CHAOS_MINUTES', '8m', 'COXSWAIN_CHAOS_MINUTES is "8m": expected a whole number from 1, as in'],
])('%s cannot be %j', (name, value, message) => {
  expect(() => readSampling({ [name]: value })).toThrow(message);
});
