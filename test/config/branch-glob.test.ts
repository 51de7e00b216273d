import { expect, test } from 'vitest';
import { branchGlob, isLiteral, matchesBranch } from '../../src/text/globs.ts';

/** As Ruby's `File.fnmatch` with `FNM_PATHNAME` answers, which is what GitHub's rules use. */
test.each([
  ['main', 'main', true],
  ['main', 'Main', false],
  ['main', 'mainline', false],
  ['release/*', 'release/1', true],
  ['release/*', 'release/1/2', false],
  ['release/*', 'release', false],
  ['release/**', 'release/1/2', false],
  ['release/**/*', 'release/1', true],
  ['release/**/*', 'release/1/2/3', true],
  ['**/*', 'main', true],
  ['**/hotfix', 'a/b/hotfix', true],
  ['**/hotfix', 'a/b/hotfixes', false],
  ['*', 'a/b', false],
  ['v?', 'v1', true],
  ['v?', 'v/', false],
  ['v?', 'v10', false],
  ['v[0-9].x', 'v3.x', true],
  ['v[0-9].x', 'va.x', false],
  ['v[-a]', 'v-', true],
  ['release.*', 'releaseX1', false],
  ['a(b)+', 'a(b)+', true],
  ['v[0-9]*', 'v1.2.3', true],
  ['*-stable', 'v1-stable', true],
  ['日本/*', '日本/1', true],
  ['?/x', '😀/x', true],
])('%s and %s: %s', (glob, branch, matches) => {
  expect(glob).toMatch(branchGlob);
  expect(matchesBranch(glob, branch)).toBe(matches);
});

test.each([
  'release/{1,2}',
  'a b',
  '/main',
  'refs/heads/main',
  'v[!0]',
  'v[^0]',
  'a\\b',
  'v[',
  'v]',
  '',
  'a\u200bb',
])('%j is not a glob', (text) => expect(text).not.toMatch(branchGlob));

test('a name without wildcards is literal', () => {
  expect(['main', 'release/1.2', 'a(b)'].every(isLiteral)).toBe(true);
  expect(['*', 'v?', 'v[0-9]'].some(isLiteral)).toBe(false);
});

test('many wildcards take no longer than a few', () => {
  const branch = 'a'.repeat(250);
  expect(matchesBranch(`${'*a'.repeat(90)}b`, branch)).toBe(false);
  expect(matchesBranch(`${'**/'.repeat(60)}b`, 'a/'.repeat(120))).toBe(false);
});
