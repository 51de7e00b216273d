import { expect, test } from 'vitest';
import { redact, redactAll } from '../../src/text/redact.ts';

const alphanumeric = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

test.each([
  ['GitHub personal', `ghp_${alphanumeric}`],
  ['GitHub OAuth', `gho_${alphanumeric}`],
  ['GitHub installation', `ghs_${alphanumeric}`],
  ['GitHub installation with dots', `ghs_123_eyJhbGciOi.eyJpc3MiOi.sig-nature_1`],
  ['GitHub user', `ghu_${alphanumeric}`],
  ['GitHub fine-grained', `github_pat_${alphanumeric}_${alphanumeric}`],
  ['AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
  ['Slack bot', 'xoxb-123456789012-abcdefABCDEF'],
  ['OpenAI', `sk-proj-${alphanumeric}`],
  ['Anthropic', `sk-ant-api03-${alphanumeric}`],
  ['JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'],
  ['npm', `npm_${alphanumeric}`],
  ['Google', `AIza${alphanumeric.slice(0, 35)}`],
  ['PEM', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nowIB\n-----END RSA PRIVATE KEY-----'],
  ['PEM on one line', '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----'],
  ['PEM without its end', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r'],
])('%s is recognized by its format', (_, secret) => {
  expect(redact(`before ${secret}`)).toBe('before [REDACTED]');
  expect(redact(`token_${secret}`)).toBe('token_[REDACTED]');
});

test.each([
  ['https://ada:hunter2@example.org/x', 'https://[REDACTED]@example.org/x'],
  ['postgres://app:p4ss@db:5432/app', 'postgres://[REDACTED]@db:5432/app'],
  ['Authorization: Basic YWRhOmh1bnRlcjI=', 'Authorization: Basic [REDACTED]'],
  ['"authorization": "Bearer abc.def-123"', '"authorization": "Bearer [REDACTED]"'],
  [`aws_secret_access_key = ${'k'.repeat(40)}`, 'aws_secret_access_key = [REDACTED]'],
])('%s keeps the text around the secret', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each([
  'a task-force of disk-utilities and sk-circle-fade-dot-animation',
  'see https://example.org:8080/a@b and git@github.com:acme/sums.git',
  'commit 8f3c2d1e0b9a8f3c2d1e0b9a8f3c2d1e0b9a8f3c',
  'ghp_ is a prefix, eyJ too',
])('%s is not redacted', (text) => {
  expect(redact(text)).toBe(text);
});

test('known values are redacted in every encoding', () => {
  const known = ['p@ss/word+1', '-----line one-----\nsecond line of it\n'];
  const text = [
    'p@ss/word+1',
    encodeURIComponent('p@ss/word+1'),
    Buffer.from('p@ss/word+1').toString('base64'),
    Buffer.from('x-access-token:p@ss/word+1').toString('base64'),
    'second line of it',
    JSON.stringify({ key: known[1] }),
  ].join('\n');
  const clean = redact(text, known);
  expect(clean).toBe(['[REDACTED]\n'.repeat(5), '{"key":"[REDACTED]"}'].join(''));
  expect(redact(clean, known)).toBe(clean);
});

test('values too short to be secrets are not redacted', () => {
  expect(redact('a cat sat', ['', 'cat'])).toBe('a cat sat');
});

test('nested data is redacted and keeps its shape', () => {
  const value = { list: [{ text: `xoxb-${alphanumeric}` }], number: 1, nothing: null, yes: true };
  expect(redactAll(value)).toEqual({ list: [{ text: '[REDACTED]' }], number: 1, nothing: null, yes: true });
});

test('a mebibyte of any text is redacted in linear time', () => {
  for (const piece of [
    'a',
    'eyJ',
    'ghp_',
    'sk-',
    'x://',
    '-----BEGIN PRIVATE KEY-----',
    'authorization: basic ',
    '@',
  ]) {
    const flood = piece.repeat(Math.ceil(1_048_576 / piece.length));
    expect(redact(flood).length).toBeLessThan(flood.length * 2);
  }
});

test('many token prefixes are read in linear time', () => {
  expect(redact('-eyJ'.repeat(200_000))).toHaveLength(800_000);
});
