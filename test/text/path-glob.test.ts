import { describe, expect, test } from 'vitest';
import { isPathGlob, pathGlobFrom } from '../../src/text/globs.ts';

describe('a glob of files', () => {
  test.each([
    ['infra/**', 'infra/a.tf', true],
    ['infra/**', 'infra/deep/er/a.tf', true],
    ['infra/**', 'infrastructure/a.tf', false],
    ['infra/**', 'src/infra/a.tf', false],
    ['infra/', 'infra/a/b.tf', true],
    ['infra/', 'src/infra/b.tf', true],
    ['infra/*', 'infra/a.tf', true],
    ['infra/*', 'infra/deep/a.tf', false],
    ['*.sql', 'drop.sql', true],
    ['*.sql', 'db/migrations/drop.sql', true],
    ['*.sql', 'drop.sql.txt', false],
    ['**/*.sql', 'drop.sql', true],
    ['db/**/*.sql', 'db/drop.sql', true],
    ['db/**/*.sql', 'db/a/b/drop.sql', true],
    ['db/v?.sql', 'db/v1.sql', true],
    ['db/v?.sql', 'db/v10.sql', false],
    ['{infra,deploy}/**', 'deploy/x', true],
    ['{infra,deploy/prod}/**', 'deploy/prod/x', true],
    ['{infra,deploy/prod}/**', 'deploy/test/x', false],
    ['package{,-lock}.json', 'web/package-lock.json', true],
    ['Infra/**', 'infra/x', false],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['a b/**', 'a b/c', true],
  ])('%s and %s: %s', (glob, path, is) => {
    expect(isPathGlob(glob)).toBe(true);
    expect(pathGlobFrom(glob).matches(path)).toBe(is);
  });

  test.each([
    '',
    '/infra/**',
    './infra',
    '../x',
    'a//b',
    'a/**b',
    '***',
    '!secret',
    '[a-z].ts',
    'a\\*',
    '{a,{b,c}}',
    '{a,b',
    'a}',
    'a/\n',
    ' a',
    'a '.repeat(3),
    '{a,b}'.repeat(7),
    'x'.repeat(201),
  ])('is not %j', (glob) => {
    expect(isPathGlob(glob)).toBe(false);
  });

  test('is matched in time that grows with the lengths alone', () => {
    const hostile = [`${'*a'.repeat(90)}b`, `${'**/a*/'.repeat(25)}b`, '{*a,*b}?{*a,*b}?{*a,*b}?c'];
    for (const glob of hostile) {
      expect(isPathGlob(glob)).toBe(true);
      // Exponential time would be longer than the universe is old.
      expect(pathGlobFrom(glob).matches(`${'a/'.repeat(300)}${'a'.repeat(2_000)}`)).toBe(false);
    }
  });
});
