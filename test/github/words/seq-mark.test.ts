import { expect, test } from 'vitest';
import { markIn, newestMark, seqMark } from '../../../src/github/words/seq-mark.ts';

const people = 'ab'.repeat(32);
const commit = 'c0ffee00'.repeat(5);

test.each([
  { seq: 12, people },
  { seq: 12, people: null },
])('a check run says %o at its end', (mark) => {
  expect(markIn(`Approved.\n\n${seqMark(mark, commit)}`)).toEqual(mark);
  expect(markIn(`${seqMark(mark, commit)}\n\nApproved.`)).toBeUndefined();
});

test.each([
  [[], 0, null],
  [
    [
      { seq: 3, people: null },
      { seq: 4, people },
    ],
    4,
    people,
  ],
  [
    [
      { seq: 4, people },
      { seq: 4, people },
    ],
    4,
    people,
  ],
  [
    [
      { seq: 4, people },
      { seq: 4, people: 'cd'.repeat(32) },
    ],
    4,
    null,
  ],
  [
    [
      { seq: 4, people },
      { seq: 4, people: null },
    ],
    4,
    null,
  ],
  [
    [
      { seq: 4, people },
      { seq: 5, people: null },
    ],
    5,
    null,
  ],
])('the newest of %j has number %i', (marks, seq, named) => {
  expect(newestMark(marks)).toEqual({ seq, people: named });
});
