import { describe, expect, test } from 'vitest';
import { ownersPattern, readCodeOwners } from '../../../src/gates/code-owners.ts';
import { expectInProportion } from '../../setup/in-proportion.ts';

function ownersIn(text: string, path: string): readonly string[] {
  return readCodeOwners(text).ownersOf(path);
}

/** The example of GitHub's documentation, "About code owners". */
const documented = `# This is a comment.
# Each line is a file pattern followed by one or more owners.

*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
/apps/ @octocat
/apps/github @doctocat
`;

describe('the example of the documentation', () => {
  test.each([
    ['README.md', '@global-owner1 @global-owner2'],
    ['src/deep/app.js', '@js-owner'],
    ['main.go', 'docs@example.com'],
    ['notes/a.txt', '@octo-org/octocats'],
    ['build/logs/a/b.log', '@octocat'],
    ['docs/getting-started.md', '@doctocat'],
    ['docs/build-app/troubleshooting.md', '@doctocat'],
    ['src/apps/a.c', '@octocat'],
    ['apps/web/a.c', '@octocat'],
    ['apps/github/a.c', '@doctocat'],
    ['apps/github', '@doctocat'],
    ['scripts/run', '@doctocat @octocat'],
    ['deeply/nested/logs/x', '@octocat'],
    ['deeply/nested/logs', '@octocat'],
  ])('%s belongs to %s', (path, owners) => {
    expect(ownersIn(documented, path).join(' ')).toBe(owners);
  });
});

describe('a pattern', () => {
  test.each([
    // GitHub's own: a last segment `*` is one level only, where .gitignore reaches into the folders.
    ['docs/*', 'docs/a.md', true],
    ['docs/*', 'docs/build/a.md', false],
    ['/*', 'a.md', true],
    ['/*', 'src/a.md', false],
    ['*', 'src/a.md', true],
    ['**', 'src/a.md', true],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/a/b.md', false],
    // A name reaches into a folder of that name.
    ['docs', 'docs/a/b.md', true],
    ['docs', 'src/docs/a.md', true],
    ['/docs', 'src/docs/a.md', false],
    ['/docs', 'docs', true],
    ['docs/', 'docs', false],
    ['docs/', 'src/docs/a.md', true],
    ['/docs/', 'src/docs/a.md', false],
    ['src/docs', 'src/docs/a.md', true],
    ['src/docs', 'lib/src/docs/a.md', false],
    ['src/docs/', 'lib/src/docs/a.md', false],
    ['**/src/docs', 'lib/src/docs/a.md', true],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['docs/**/b.md', 'docs/b.md', true],
    ['docs/**/b.md', 'docs/x/y/b.md', true],
    ['/docs/*/b.md', 'docs/x/b.md', true],
    ['/docs/*/b.md', 'docs/x/y/b.md', false],
    ['*.js', 'a.js/readme', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*c', 'ac', true],
    // Case counts.
    ['Docs/', 'docs/a.md', false],
    // Spaces are escaped.
    ['a\\ b/', 'a b/c', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['/', 'a', false],
  ])('%s and %s: %s', (pattern, path, is) => {
    expect(ownersPattern(pattern)?.matches(path.split('/'))).toBe(is);
  });

  test.each(['!docs/', '[ab].md', 'a]', 'docs/***', '\\#a', ''])('is not %j', (pattern) => {
    expect(ownersPattern(pattern)).toBeUndefined();
  });

  test('is matched in time that grows with the lengths alone', () => {
    const path = [...Array.from({ length: 300 }, () => 'a'), 'a'.repeat(2_000)];
    const hostile = [`${'*a'.repeat(500)}b`, `${'**/*a*/'.repeat(200)}b`, `${'**/a/'.repeat(300)}**/b`];
    // Exponential time would be longer than the universe is old.
    for (const pattern of hostile) expect(ownersPattern(pattern)?.matches(path)).toBe(false);
  });
});

describe('a file CODEOWNERS', () => {
  test('counts the last line that matches, also one without owners', () => {
    const text = '* @ada\n/src/ @bob\n/src/gen/\n';
    expect(ownersIn(text, 'a')).toEqual(['@ada']);
    expect(ownersIn(text, 'src/a')).toEqual(['@bob']);
    expect(ownersIn(text, 'src/gen/a')).toEqual([]);
  });

  test('skips what GitHub skips, whole lines, and says so', () => {
    const text = ['* @ada', '!src/ @bob', 'src/[ab].ts @bob', 'src/ @bob nobody', '***/x @bob'].join('\r\n');
    const { ownersOf, problems } = readCodeOwners(text);
    expect(ownersOf('src/a.ts')).toEqual(['@ada']);
    expect(problems).toEqual([
      'line 2 of CODEOWNERS: "!src/" is not a pattern that GitHub supports, so it is skipped',
      'line 3 of CODEOWNERS: "src/[ab].ts" is not a pattern that GitHub supports, so it is skipped',
      'line 4 of CODEOWNERS: "nobody" is not a user, a team or an email address, so it is skipped',
      'line 5 of CODEOWNERS: "***/x" is not a pattern that GitHub supports, so it is skipped',
    ]);
  });

  test('says that nobody can tell whose account an e-mail address is', () => {
    const { ownersOf, problems } = readCodeOwners('* ada@example.org @bob');
    expect(ownersOf('a')).toEqual(['ada@example.org', '@bob']);
    expect(problems).toEqual([
      'line 1 of CODEOWNERS: GitHub does not say whose account has the address "ada@example.org": name the account',
    ]);
  });

  test('takes a comment for one at the beginning of a word only', () => {
    expect(ownersIn('a#b @ada', 'a#b')).toEqual([]);
    expect(ownersIn('  # * @ada', 'a')).toEqual([]);
    expect(ownersIn('* @ada # @bob', 'a')).toEqual(['@ada']);
    expect(ownersIn('*\t@ada\t@bob', 'a')).toEqual(['@ada', '@bob']);
  });

  test('lists few problems of many', () => {
    const { problems } = readCodeOwners('!a @ada\n'.repeat(50));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('and 30 more lines of CODEOWNERS');
  });

  test('is read in time that grows with its length, whatever is in it', () => {
    // Longer ones take a gigabyte, with which every program starts slowly.
    const largest = 100_000;
    for (const [piece, rest] of [
      ['\\', ' @ada'],
      ['@a', ''],
      ['*', ' @ada'],
      ['* @ada.b', ''],
    ])
      expectInProportion((size) => readCodeOwners(`${piece?.repeat(size)}${rest}\n`), { largest });
    expectInProportion((size) => readCodeOwners(`* ${'a'.repeat(size)}@${'.b'.repeat(size)}\n`), { largest });
  });
});

/** A second, slower reading of the same rules, as a regular expression: what most readers of these files do. */
function expressionOf(pattern: string): RegExp {
  let source = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  const isName = !source.replace(/\/$/, '').includes('/') && !pattern.startsWith('/');
  if (source.endsWith('/')) source += '**';
  const segments = source.split('/');
  if (isName && segments[0] !== '**') segments.unshift('**');
  const last = segments.length - 1;
  let text = '';
  for (const [at, segment] of segments.entries()) {
    if (segment === '**') text += at === last ? '.+' : '(?:[^/]+/)*';
    else {
      const name =
        segment === '*'
          ? '[^/]+'
          : segment.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('?', '[^/]');
      text += at === last ? `${name}${segment === '*' ? '' : '(?:/.*)?'}` : `${name}/`;
    }
  }
  return new RegExp(`^${text}$`);
}

test('a thousand random patterns mean the same in a second reading', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = (from: readonly string[]) => from[random(from.length)] ?? '';
  const names = ['a', 'b', 'ab', 'a.js'];
  const parts = [...names, '*', '**', '*.js', 'a*', '?', '*b*'];
  for (let round = 0; round < 2_000; round++) {
    const segments = Array.from({ length: 1 + random(4) }, () => pick(parts));
    const pattern = `${pick(['', '/'])}${segments.join('/')}${pick(['', '', '/'])}`;
    const path = Array.from({ length: 1 + random(5) }, () => pick(names)).join('/');
    const is = ownersPattern(pattern)?.matches(path.split('/'));
    expect({ pattern, path, is }).toEqual({ pattern, path, is: expressionOf(pattern).test(path) });
  }
});
