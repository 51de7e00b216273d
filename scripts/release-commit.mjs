/** What is released: whether a version can be, and the commit that is that version. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf, ways, withMajor, withVersion, withWays } from './changelog.mjs';
import { run } from './try-release.mjs';

const minute = 60_000;
const pattern = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Whether it is a version such as 1.2.3 or 1.2.3-rc.1. */
export function isVersion(text) {
  return pattern.test(text);
}

/**
 * The branch to release from, and the highest version so far, if that is a higher one. Throws if this version
 * cannot be released from here; `remote` is asked for its tags, unless it is undefined.
 */
export function releasable(root, version, remote) {
  notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  const changed = git(root, 'status', '--porcelain');
  if (changed !== '')
    throw new Error(`the working tree is not clean: commit or remove these files first\n${changed}`);
  const branch = git(root, 'branch', '--show-current');
  if (branch === '')
    throw new Error('no branch is checked out: check out the one to release from, such as main');
  const versions = versionsIn(root, remote);
  // What is only tried out comes before its version.
  const same = versions.find((each) => each === version || each === version.split('-')[0]);
  if (same !== undefined)
    throw new Error(`v${same} is released already: choose a higher version than ${version}`);
  return { branch, higher: versions.find((each) => isHigher(each, version)) };
}

function versionsIn(root, remote) {
  const theirs = remote === undefined ? '' : git(root, 'ls-remote', '--tags', '--refs', remote, 'v*');
  const names = [...git(root, 'tag', '--list', 'v*').split('\n'), ...theirs.split('\n')];
  return names.map((name) => name.replace(/^(?:.*refs\/tags\/)?v/, '')).filter(isVersion);
}

function isHigher(one, other) {
  const [ours, theirs] = [one, other].map((version) => version.split('-')[0].split('.').map(Number));
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at >= 0 && ours[at] > theirs[at];
}

/**
 * Commits the version in a clone, unless it is there already, and tags it; returns the commit. `who` are the
 * options of Git that say by whom, `date` is as in 2026-11-29.
 */
export function commitVersion(clone, version, { who, date }) {
  run('npm', ['version', '--no-git-tag-version', '--allow-same-version', version], at(clone));
  const change = (path, changed) => {
    const file = join(clone, path);
    writeFileSync(file, changed(readFileSync(file, 'utf8')));
  };
  // What is only tried out stays among what is not released.
  if (!version.includes('-')) {
    change('CHANGELOG.md', (text) => withVersion(text, version, date));
    for (const path of new Set(ways.map((way) => way.path))) change(path, (text) => withWays(path, text));
  }
  const naming = ['grep', '-lE', 'your-name.?/coxswain@v[0-9]', '--', '*.md', '*.yml', '*.ts'];
  for (const path of git(clone, ...naming).split('\n')) change(path, (text) => withMajor(text, version));
  const isChanged = git(clone, 'status', '--porcelain') !== '';
  if (isChanged) git(clone, ...who, 'commit', '--quiet', '--all', '-m', `Release ${version}`);
  git(clone, 'tag', `v${version}`);
  return git(clone, 'rev-parse', 'HEAD');
}

/** What a commit is made with in a clone, as its owner has it set. */
export function identityIn(root) {
  return ['user.name', 'user.email'].flatMap((key) => ['-c', `${key}=${git(root, 'config', key)}`]);
}

export function git(cwd, ...args) {
  return run('git', args, at(cwd)).trimEnd();
}

function at(cwd) {
  return { cwd, timeout: 2 * minute };
}
