import { expect, test } from 'vitest';
import { seqIn, seqMark } from '../../src/github/marks.ts';

const commit = 'c0ffee00'.repeat(5);

test('a check run says at its end how far the ledger had come', () => {
  expect(seqIn(`Approved.\n\n${seqMark(12, commit)}`)).toBe(12);
  expect(seqIn(`${seqMark(12, commit)}\n\nApproved.`)).toBeUndefined();
  expect(seqIn(`<!-- coxswain:seq 12 ${commit} ${'ab'.repeat(32)} -->`)).toBe(12);
});
