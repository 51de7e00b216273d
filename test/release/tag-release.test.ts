import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/tag-release.mjs', import.meta.url));

let folder: string;
/** The clone of a workflow, and the bare repository it came from. */
let clone: string;
let origin: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-tags-'));
  origin = join(folder, 'origin.git');
  clone = join(folder, 'clone');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
  execFileSync('git', ['clone', '--quiet', origin, clone], { stdio: 'ignore' });
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  writeFileSync(join(clone, '.gitignore'), 'dist/\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
}

/** Commits a version to `main`, tags it as a person does, and builds it; returns the commit. */
function tagged(version: string, tag: readonly string[] = []): string {
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ version }));
  git('add', '.');
  git('commit', '--quiet', '--message', `Version ${version}`);
  git('tag', ...tag, `v${version}`);
  git('push', '--quiet', 'origin', 'HEAD:main', `v${version}`);
  for (const name of ['action', 'cli', 'bench']) {
    mkdirSync(join(clone, 'dist', name), { recursive: true });
    writeFileSync(join(clone, 'dist', name, 'index.js'), `// ${version}\n`);
  }
  return git('rev-parse', 'HEAD');
}

function run(mode: 'check' | 'push', tag: string) {
  const { GITHUB_OUTPUT: _, ...env } = process.env;
  return spawnSync(process.execPath, [script, mode, tag], { cwd: clone, encoding: 'utf8', env });
}

/** The commit that a tag of the remote leads to. */
function remote(tag: string): string {
  return execFileSync('git', ['rev-parse', `refs/tags/${tag}^{commit}`], {
    cwd: origin,
    encoding: 'utf8',
  }).trim();
}

function hasRemote(tag: string): boolean {
  return execFileSync('git', ['tag', '--list', tag], { cwd: origin, encoding: 'utf8' }).trim() !== '';
}

describe('the tags of a release', () => {
  test('lead to a commit that only adds the built files to the one that was tagged', () => {
    const head = tagged('1.2.3');
    expect(run('push', 'v1.2.3')).toMatchObject({ status: 0 });
    const release = remote('v1.2.3');
    expect(remote('v1')).toBe(release);
    git('fetch', '--quiet', 'origin', release);
    expect(git('rev-parse', `${release}^`)).toBe(head);
    const added = git('diff', '--name-status', head, release);
    expect(added).toBe('A\tdist/action/index.js\nA\tdist/cli/index.js');
    expect(git('rev-parse', 'origin/main')).toBe(head);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('stay where they are if the workflow runs again', () => {
    tagged('1.2.3', ['--annotate', '--message', 'The first']);
    run('push', 'v1.2.3');
    const release = remote('v1.2.3');
    expect(run('push', 'v1.2.3')).toMatchObject({ status: 0, stderr: '' });
    expect([remote('v1.2.3'), remote('v1')]).toEqual([release, release]);
  });

  test('are not moved if somebody else has moved one', () => {
    tagged('1.2.3');
    run('push', 'v1.2.3');
    const other = git('commit-tree', 'HEAD^{tree}', '-m', 'Mine');
    git('push', '--quiet', '--force', 'origin', `${other}:refs/tags/v1.2.3`);
    const refused = run('push', 'v1.2.3');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('somebody has moved it') });
    expect(remote('v1.2.3')).toBe(other);
  });

  test('need the built files', () => {
    const head = tagged('1.2.3');
    rmSync(join(clone, 'dist'), { recursive: true });
    const refused = run('push', 'v1.2.3');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run build') });
    expect(remote('v1.2.3')).toBe(head);
  });
});

describe('the tag of the major version', () => {
  test('follows each release', () => {
    for (const version of ['1.2.3', '1.10.0']) {
      tagged(version);
      run('push', `v${version}`);
      expect(remote('v1')).toBe(remote(`v${version}`));
    }
  });

  test('does not go back for a correction of an older version', () => {
    tagged('1.10.0');
    run('push', 'v1.10.0');
    tagged('1.9.1');
    expect(run('check', 'v1.9.1').stdout).toMatch(/^npm-tag=latest-1\nmajor-tag=\n/m);
    run('push', 'v1.9.1');
    expect(remote('v1')).toBe(remote('v1.10.0'));
  });

  test('does not go ahead for a version that is tried out', () => {
    tagged('1.0.0-rc.1');
    expect(run('check', 'v1.0.0-rc.1').stdout).toMatch(/^npm-tag=next\nmajor-tag=\nprerelease=true$/m);
    run('push', 'v1.0.0-rc.1');
    expect(hasRemote('v1')).toBe(false);
    tagged('1.0.0');
    expect(run('check', 'v1.0.0').stdout).toMatch(/^npm-tag=latest\nmajor-tag=v1\nprerelease=false$/m);
  });

  test('of an older major is moved, but is not the newest package', () => {
    tagged('2.0.0');
    run('push', 'v2.0.0');
    tagged('1.9.1');
    expect(run('check', 'v1.9.1').stdout).toMatch(/^npm-tag=latest-1\nmajor-tag=v1\n/m);
  });
});

describe('a tag is refused', () => {
  test('that is not the version of the package', () => {
    tagged('1.2.3');
    const refused = run('check', 'v1.2.4');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('has the version 1.2.3') });
  });

  test('that is not a version', () => {
    tagged('1.2');
    expect(run('check', 'v1.2')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a version'),
    });
  });

  test('on a commit that is not on the default branch', () => {
    tagged('1.2.3');
    git('commit', '--quiet', '--allow-empty', '--message', 'Not reviewed');
    const refused = run('check', 'v1.2.3');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is not on main') });
  });
});
