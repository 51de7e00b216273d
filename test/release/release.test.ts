import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isReleased, notesOf, ways, withVersion } from '../../scripts/changelog.mjs';
import { commitVersion } from '../../scripts/release-commit.mjs';
import { releaseOf } from '../../src/cli/own-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = join(root, 'scripts/release.mjs');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const changelog = '# Changelog\n\n## Unreleased\n\n- Runs can be paused.\n';

test('the documents name what is published from the first release on, and only a clone before', () => {
  const isNow = isReleased(read('CHANGELOG.md'));
  for (const { path, before, after } of ways) {
    expect(read(path)).toContain(isNow ? after : before);
    expect(read(path)).not.toContain(isNow ? before : after);
  }
});

test('what is not released yet becomes the section and the notes of the version, once', () => {
  const released = withVersion(changelog, '1.0.0', '2026-11-29');
  expect(released).toBe('# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-11-29)\n\n- Runs can be paused.\n');
  expect(withVersion(released, '1.0.0', '2026-12-01')).toBe(released);
  expect(notesOf(released, '1.0.0')).toBe('- Runs can be paused.');
  expect(() => notesOf(released, '1.1.0')).toThrow('CHANGELOG.md tells nothing of 1.1.0');
});

test('whoever installs a release has a workflow that names its repository', () => {
  const repository = { url: 'git+https://github.com/Acme/coxswain.git' };
  expect(releaseOf({ version: '1.2.3', repository })).toBe('Acme/coxswain@v1');
  expect(releaseOf({ version: '1.2.3' })).toMatch(/^your-name\//);
});

describe('in a repository', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coxswain-made-'));
    git('init', '--quiet', '--initial-branch=main');
    for (const [key, value] of [
      ['name', 'Ada'],
      ['email', 'ada@example.org'],
    ] as const)
      git('config', `user.${key}`, value);
    const copied = [
      'package.json',
      'package-lock.json',
      'packages/forge/package.json',
      'examples/coxswain.yml',
    ];
    for (const path of [...copied, ...ways.map((way) => way.path)]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(root, path), join(folder, path));
    }
    commit('CHANGELOG.md', changelog);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  }

  function commit(path: string, text: string): void {
    writeFileSync(join(folder, path), text);
    git('add', '.');
    git('commit', '--quiet', '--message', path);
  }

  const made = (version: string) => commitVersion(folder, version, { who: [], date: '2026-11-29' });
  const inFolder = (path: string) => readFileSync(join(folder, path), 'utf8');

  test('a release is one commit with its version, its changelog and its documents, and a tag', () => {
    const before = git('rev-parse', 'HEAD');
    const head = made('2.0.0');
    expect(git('rev-parse', 'v2.0.0', 'v2.0.0^').split('\n')).toEqual([head, before]);
    expect(JSON.parse(inFolder('package.json'))).toMatchObject({ version: '2.0.0' });
    expect(JSON.parse(inFolder('package-lock.json'))).toMatchObject({ version: '2.0.0' });
    expect(inFolder('CHANGELOG.md')).toContain('## 2.0.0 (2026-11-29)');
    expect(inFolder('examples/coxswain.yml')).toMatch(/your-name\/coxswain@\bv2$/m);
    for (const { path, after } of ways) expect(inFolder(path)).toContain(after);
    git('tag', '--delete', 'v2.0.0');
    expect(made('2.0.0')).toBe(head);
  });

  test('of what is only tried out, neither the changelog nor the documents say anything', () => {
    // But for the major version, which the tests want everywhere.
    const documents = () => ['CHANGELOG.md', 'README.md'].map((path) => inFolder(path).replace(/@v\d/g, ''));
    const before = documents();
    made('2.0.0-rc.1');
    expect(documents()).toEqual(before);
  });

  test.each([
    [
      'without anything in the changelog',
      '1.0.0',
      /tells nothing of 1\.0\.0: expected entries such as/,
      () => commit('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\nNothing yet.\n'),
    ],
    [
      'with changes that are not committed',
      '1.0.0',
      /not clean: commit or remove .*\n\?\? new\.txt/,
      () => writeFileSync(join(folder, 'new.txt'), ''),
    ],
    ['of a version that has a tag', '1.0.0', /v1\.0\.0 is released already/, () => git('tag', 'v1.0.0')],
    [
      'that would come before its version',
      '1.0.0-rc.1',
      /choose a higher version than 1\.0\.0-rc\.1/,
      () => git('tag', 'v1.0.0'),
    ],
    ['from no branch', '1.0.0', /no branch is checked out/, () => git('checkout', '--quiet', '--detach')],
    ['of something that is no version', '1.0', /usage: npm run release -- <version>/, () => undefined],
  ])('there is none %s', (_, version, expected, prepare) => {
    prepare();
    const refused = spawnSync(process.execPath, [script, version], { cwd: folder, encoding: 'utf8' });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(expected), stdout: '' });
  });
});
