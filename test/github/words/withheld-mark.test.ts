import { expect, test } from 'vitest';
import {
  eventDigest,
  type Withheld,
  withheldIn,
  withheldMark,
} from '../../../src/github/words/withheld-mark.ts';

const [one, other] = ['comment:1@x', 'closed:y'].map(eventDigest) as [string, string];

test.each<Withheld>([
  { lost: false, unrecorded: [] },
  { lost: true, unrecorded: [] },
  { lost: false, unrecorded: [one, other] },
  { lost: true, unrecorded: [one] },
])('%j is read as it was written', (withheld) => {
  expect(withheldIn(`Some text.\n\n${withheldMark(withheld)}\n`)).toEqual(withheld);
});

test('a mark that is not at the end is only text', () => {
  expect(withheldIn(`${withheldMark({ lost: true, unrecorded: [] })} of old`)).toBeUndefined();
  expect(withheldIn('<!-- coxswain:withheld lost someone -->')).toBeUndefined();
  expect(withheldIn(null)).toBeUndefined();
});

test('names no more than fits into a check run', () => {
  const unrecorded = Array.from({ length: 5_000 }, (_, index) => eventDigest(`push:${index}`));
  const mark = withheldMark({ lost: false, unrecorded });
  expect(mark.length).toBeLessThan(4_000);
  expect(withheldIn(mark)?.unrecorded.at(-1)).toBe(unrecorded.at(-1));
});
