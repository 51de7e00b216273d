import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visible, withoutInvisible } from '../../src/text/characters.ts';
import { redact } from '../../src/text/redact.ts';

/** What a reader does not see must not keep a secret from being recognized: later cleaning makes it whole. */

const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const password = 'hunter2-hunter2';

const invisible = {
  'a colour': '\u001b[31m',
  'a colour in one byte': '\u009b1;31m',
  'a hyperlink': '\u001b]8;;https://a.example\u0007',
  'a title': '\u001b]0;t\u001b\\',
  'a character set': '\u001b(B',
  'a zero-width space': '\u200b',
  'a zero-width joiner': '\u200d',
  'a byte order mark': '\ufeff',
  'a soft hyphen': '\u00ad',
  'a direction mark': '\u202e',
  'a tag': '\u{e0041}',
  'a variation selector': '\ufe0f',
  'an annotation': '\ufff9',
  'a backspace': '\b',
  'a null character': '\0',
  'a C1 control character': '\u0085',
} as const;

describe.each(Object.entries(invisible))('%s inside', (_, hidden) => {
  const split = (secret: string, at: number) => `${secret.slice(0, at)}${hidden}${secret.slice(at)}`;

  test.each([2, 9, 25])('a token, after %i characters, does not hide it', (at) => {
    expect(redact(`before ${split(token, at)} after`)).toBe('before [REDACTED] after');
  });

  test('a known value does not hide it', () => {
    expect(redact(`before ${split(password, 4)}`, [password])).toBe('before [REDACTED]');
  });
});

test('a token is found between invisible characters of several kinds', () => {
  const text = `x\u200b${token.slice(0, 20)}\u001b[31m${token.slice(20)}`;
  expect(visible(redact(text))).not.toContain(token.slice(20));
});

test('a token that begins like the end of a colour is found', () => {
  expect(redact(`\u001b[${token}`)).not.toContain(token.slice(4));
});

test('text without secrets keeps its invisible characters', () => {
  const text = 'می\u200cخواهم 👩\u200d👩\u200d👧 \u001b[31mred\u001b[0m ❤\ufe0f';
  expect(redact(text)).toBe(text);
});

const junk = fc.constantFrom(
  ...Object.values(invisible),
  '\u001b',
  '[',
  ']8;;',
  '\u0007',
  '\u009b',
  ';',
  'm',
  'x',
  ' ',
);
const pieces = fc.array(junk, { maxLength: 12 });
const hiding = fc.array(fc.constantFrom(...Object.values(invisible)), { maxLength: 3 });

test('whatever is put into a token, no later cleaning makes it whole', () => {
  fc.assert(
    fc.property(
      pieces,
      hiding,
      pieces,
      fc.integer({ min: 4, max: token.length }),
      (before, hidden, inside, at) => {
        const text = `${before.join('')} ${hidden.join('')}${token.slice(0, at)}${inside.join('')}${token.slice(at)}`;
        const clean = redact(text);
        expect(clean).not.toContain(token);
        expect(visible(clean)).not.toContain(token);
        expect(withoutInvisible(visible(clean))).not.toContain(token);
        expect(withoutInvisible(clean)).not.toContain(token);
        expect(redact(clean)).toBe(clean);
      },
    ),
    { numRuns: 2000 },
  );
});

test('many invisible characters are read in linear time', () => {
  for (const hidden of [...Object.values(invisible), '\u001b', '\u001b]', '\u009b', '\u001b[;', 'a\u200b']) {
    const flood = hidden.repeat(200_000 / hidden.length);
    expect(redact(`${flood}${token}`).endsWith('[REDACTED]')).toBe(true);
  }
});
