import { expect, test } from 'vitest';
import { readSelection, select } from './chaos-selection.ts';

const now = new Date('2026-11-22T00:00:07Z');
const moments = Array.from({ length: 12 }, (_, index) => index);

test('every tenth moment is tried unless told, from an offset that moves with time', () => {
  const later = new Date(now.getTime() + 5000);
  expect(readSelection({}, now)).toMatchObject({ every: 10, minutes: undefined });
  expect(readSelection({}, later).offset).not.toBe(readSelection({}, now).offset);
});

test('the moments begin at the offset and go round', () => {
  expect(select(moments, { offset: 14, every: 5, minutes: undefined })).toEqual([2, 7, 0]);
});

test('over all offsets every moment is tried', () => {
  const tried = moments.flatMap((offset) => select(moments, { offset, every: 10, minutes: undefined }));
  expect([...new Set(tried)].sort((one, other) => one - other)).toEqual(moments);
});

test.each([
  ['COXSWAIN_CHAOS_EVERY', '0', /expected a whole number of at least 1, as in COXSWAIN_CHAOS_EVERY=7/],
  ['COXSWAIN_CHAOS_OFFSET', 'here', /COXSWAIN_CHAOS_OFFSET is "here": expected a whole number/],
  ['COXSWAIN_CHAOS_MINUTES', '-3', /COXSWAIN_CHAOS_MINUTES is "-3"/],
])('%s cannot be %s', (name, value, message) => {
  expect(() => readSelection({ [name]: value }, now)).toThrow(message);
});
