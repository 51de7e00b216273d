import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inertLine } from '../../src/text/commit-message.ts';

test.each([
  ['Fixes #7 and closes acme/api#8', 'Fixes 7 and closes acme/api8'],
  ['resolves GH-7', 'resolves GH 7'],
  ['Thanks @mia and @acme/core', 'Thanks mia and acme/core'],
  ['mail me@evil.example', 'mail me at evil.example'],
  ['see https://github.com/a/b/issues/7', 'see github.com/a/b/issues/7'],
  ['see www.evil.example', 'see evil.example'],
  ['C# and F#, 5 @ 3', 'C# and F#, 5 @ 3'],
  ['one\nFixes #7', 'one'],
  ['a\u202eb\u200bc\u001b[31md', 'abcd'],
])('%j in a commit message becomes %j', (text, line) => {
  expect(inertLine(text, 200)).toBe(line);
});

const pieces = fc.constantFrom(
  ...[
    '@',
    '#',
    '7',
    'mia',
    'GH-',
    'www.',
    'w',
    'http',
    ':',
    '/',
    '://',
    'a',
    '.',
    ' ',
    '\u200b',
    '\u001b[31m',
    '-',
  ],
);

test('whatever is removed, nothing that is left acts', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      expect(inertLine(parts.join(''), 200)).not.toMatch(/@\w|#\d|\bGH-\d|[a-z]:\/\/|www\.|\p{Cf}|\p{Cc}/iu);
    }),
    { numRuns: 5000 },
  );
});
