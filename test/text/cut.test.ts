import { expect, test } from 'vitest';
import { beginningOf, endingOf, shortened } from '../../src/text/characters.ts';

const family = '👨‍👩‍👧‍👦';
const accented = 'e\u0301';

const half = /\p{Surrogate}/u;

test.each([
  ['a word', 'abcdef'],
  ['emoji', '😀😀😀😀😀'],
  ['a family', `a${family}b${family}c`],
  ['an accent', `caf${accented} cr${accented}me`],
  ['an emoji without end', `a${'👩\u200d'.repeat(90)}b`],
  ['an accent without end', `a${'\u{1d165}'.repeat(90)}b`],
])('%s is cut between characters, at either end and at every length', (_, text) => {
  for (let max = 1; max <= text.length + 1; max += 1) {
    for (const part of [beginningOf(text, max), endingOf(text, max), shortened(text, max)]) {
      expect(part.length).toBeLessThanOrEqual(max);
      expect(part).not.toMatch(half);
    }
    expect(text.startsWith(beginningOf(text, max))).toBe(true);
    expect(text.endsWith(endingOf(text, max))).toBe(true);
  }
});

test('a character of several parts is kept whole or left out', () => {
  const text = `ab${family}cd`;
  expect(beginningOf(text, 5)).toBe('ab');
  expect(endingOf(text, 5)).toBe('cd');
  expect(beginningOf(text, 2 + family.length)).toBe(`ab${family}`);
  expect(endingOf(text, 2 + family.length)).toBe(`${family}cd`);
});

test('what was shortened ends in an ellipsis', () => {
  expect([shortened('abc', 3), shortened('abcd', 3), shortened(`a${family}`, 6)]).toEqual([
    'abc',
    'ab…',
    'a…',
  ]);
});
