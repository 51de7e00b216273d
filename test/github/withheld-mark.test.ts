import { expect, test } from 'vitest';
import { type Withheld, withheldIn, withheldMark } from '../../src/github/marks.ts';

test.each<Withheld>([
  { lost: false, unrecorded: false },
  { lost: true, unrecorded: false },
  { lost: false, unrecorded: true },
  { lost: true, unrecorded: true },
])('%j is read as it was written', (withheld) => {
  expect(withheldIn(`Some text.\n\n${withheldMark(withheld)}\n`)).toEqual(withheld);
});

test('a mark that is not at the end is only text', () => {
  expect(withheldIn(`${withheldMark({ lost: true, unrecorded: false })} of old`)).toBeUndefined();
  expect(withheldIn('<!-- coxswain:withheld lost someone -->')).toBeUndefined();
  expect(withheldIn(null)).toBeUndefined();
});
