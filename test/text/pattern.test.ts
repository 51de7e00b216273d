import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PatternProblem, patternFrom } from '../../src/text/pattern/pattern.ts';
import { expectInProportion } from '../setup/in-proportion.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\s',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\.',
  '-',
  '[a-c1]',
  '',
);
const repeated = (inner: fc.Arbitrary<string>) =>
  fc
    .tuple(inner, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
    .map(([text, times]) => `(?:${text})${times}`);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    atom,
    repeated(tie('pattern')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
  ),
}));
const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '.', '-', 'A'), maxLength: 8 });

test('it finds what the engine of JavaScript finds', () => {
  fc.assert(
    fc.property(pattern, texts, (source, text) => {
      expect(patternFrom(source).isIn(text)).toBe(new RegExp(source).test(text));
    }),
    { numRuns: 3_000 },
  );
});

test('any text is a pattern or a problem', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab(){}[]|*+?\\^$-,.:<=!di12') }),
      texts,
      (source, text) => {
        try {
          expect(typeof patternFrom(source).isIn(text)).toBe('boolean');
        } catch (problem) {
          expect(problem).toBeInstanceOf(PatternProblem);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test.each([
  ['(?i)todo', 'A ToDo', true],
  ['todo', 'A ToDo', false],
  ['^\\s*console\\.log\\(', '  console.log(1)', true],
  ['\\beval\\(', 'medieval(', false],
  ['[^\\s"]+@acme', 'mail ada@acme.io', true],
  ['\\x41\\u0042', 'AB', true],
  ['é', 'café', true],
])('%s in %j is %s', (source, text, found) => {
  expect(patternFrom(source).isIn(text)).toBe(found);
});

describe('what would take too long, or is no pattern, is refused', () => {
  test.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(a)\\1',
    '\\k<a>',
    '\\p{L}',
    '(a',
    'a)',
    '[a',
    '*a',
    'a**',
    '\\',
    '[b-a]',
    'a{3,2}',
    'a{300}',
    '((a{50}){50})',
    '('.repeat(40),
  ])('%s', (source) => {
    expect(() => patternFrom(source)).toThrow(PatternProblem);
  });
});

test.each([
  ['(a+)+$', 'a', '!'],
  ['(a|a)*b', 'a', ''],
  ['(.*a){12}b', 'a', ''],
  ['(\\w+\\s?)*$x', 'word ', ''],
  ['.*.*.*=.*', 'x', ''],
  ['(a|b)*a(a|b){16}c', 'abbab', ''],
  ['(?:a?){100}a{100}b', 'a', ''],
])('%s takes time in proportion to the text', (source, piece, end) => {
  const search = patternFrom(source);
  expectInProportion((size) => expect(search.isIn(`${piece.repeat(size)}${end}`)).toBe(false));
});
