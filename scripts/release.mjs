// Makes a release, and tries what it made. `npm run release -- <version> [--publish]`
// Everything happens in a temporary clone: a commit with the version, the changelog and what the documents say
// of it, the tag, the package, the Action and their checksums. Only with --publish does anything leave it: the
// commit and the tag are pushed, and .github/workflows/release.yml does the rest.
// That workflow calls `node scripts/release.mjs make <tag>`: it makes the files of the commit that is checked
// out and built, in the folder `release`, and tries them.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { notesOf, ways, withMajor, withVersion, withWays } from './changelog.mjs';
import { nodes, run, tryAction, tryPackage } from './try-release.mjs';

const minute = 60_000;
const usage = 'usage: npm run release -- <version> [--publish], with a version such as 1.2.3 or 1.2.3-rc.1';
const pattern = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;

try {
  const [first = '', second = ''] = process.argv.slice(2);
  if (first === 'make') make(process.cwd(), second.replace(/^v/, ''));
  else if (pattern.test(first) && ['', '--publish'].includes(second)) release(first, second !== '');
  else throw new Error(usage);
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}

function release(version, isPublished) {
  const root = git(process.cwd(), 'rev-parse', '--show-toplevel');
  const branch = requireReleasable(root, version, isPublished);
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-release-'));
  const clone = join(folder, 'clone');
  git(root, 'clone', '--quiet', '--no-hardlinks', root, clone);
  const commit = prepare(root, clone, version);
  say(`v${version} is ${commit}, in ${clone}`);
  npm(clone, 15, 'ci', '--no-audit', '--no-fund');
  npm(clone, 5, 'run', '--silent', 'build');
  run(process.execPath, ['scripts/release.mjs', 'make', `v${version}`], {
    ...{ cwd: clone, timeout: 90 * minute, stdio: 'inherit' },
  });
  const push = [
    'push',
    '--atomic',
    'origin',
    `${commit}:refs/heads/${branch}`,
    `${commit}:refs/tags/v${version}`,
  ];
  say(`What is published is in ${join(clone, 'release')}; its notes are NOTES.md.`);
  if (!isPublished) {
    say(
      `Nothing was published. To publish exactly this commit:\n  git fetch ${clone} ${commit}\n  git ${push.join(' ')}`,
    );
    say(
      `Where ${branch} takes pull requests only, have the commit merged as it is, then push the tag alone.`,
    );
    return;
  }
  git(root, 'fetch', '--quiet', clone, commit);
  git(root, ...push);
  say(
    `Pushed. The workflow "Release" tests it all again and publishes it: npm, the tags, the image, the release.`,
  );
}

/** The branch to release from. Throws if this version cannot be released from here. */
function requireReleasable(root, version, isPublished) {
  notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  const changed = git(root, 'status', '--porcelain');
  if (changed !== '')
    throw new Error(`the working tree is not clean: commit or remove these files first\n${changed}`);
  const tags = tagsOf(root, isPublished);
  const higher = tags.find((tag) => tag === version || isHigher(tag, version));
  if (higher === version) throw new Error(`v${version} is released already: choose a higher version`);
  if (higher !== undefined && isPublished === false)
    say(`v${higher} is higher, so this corrects an older version.`);
  const branch = git(root, 'branch', '--show-current');
  if (branch === '')
    throw new Error('no branch is checked out: check out the one to release from, such as main');
  return branch;
}

/** The versions with a tag, there and here; without a network those that are known here. */
function tagsOf(root, isPublished) {
  const known = git(root, 'tag', '--list', 'v*').split('\n');
  const remote = () => {
    if (git(root, 'remote') === '') return '';
    try {
      return git(root, 'ls-remote', '--tags', '--refs', 'origin', 'v*');
    } catch (fault) {
      if (isPublished) throw fault;
      say('origin could not be asked for its tags, so only those of this clone are known.');
      return '';
    }
  };
  const theirs = remote()
    .split('\n')
    .map((line) => line.replace(/^.*refs\/tags\//, ''));
  return [...known, ...theirs].map((tag) => tag.replace(/^v/, '')).filter((tag) => pattern.test(tag));
}

function isHigher(one, other) {
  const [ours, theirs] = [one, other].map((version) => version.split('-')[0].split('.').map(Number));
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at >= 0 && ours[at] > theirs[at];
}

/** Commits the version, unless it is there already, and tags it; returns the commit. */
function prepare(root, clone, version) {
  const who = ['user.name', 'user.email'].flatMap((key) => ['-c', `${key}=${git(root, 'config', key)}`]);
  npm(clone, 1, 'version', '--no-git-tag-version', '--allow-same-version', version);
  const change = (path, changed) => {
    const file = join(clone, path);
    writeFileSync(file, changed(readFileSync(file, 'utf8')));
  };
  // What is only tried out stays among what is not released.
  if (!version.includes('-')) {
    change('CHANGELOG.md', (text) => withVersion(text, version, new Date().toISOString().slice(0, 10)));
    for (const path of new Set(ways.map((way) => way.path))) change(path, (text) => withWays(path, text));
  }
  const examples = git(
    clone,
    'grep',
    '--files-with-matches',
    'your-name/coxswain@v',
    '--',
    '*.md',
    '*.yml',
    '*.ts',
  );
  for (const path of examples.split('\n')) change(path, (text) => withMajor(text, version));
  if (git(clone, 'status', '--porcelain') !== '')
    git(clone, ...who, 'commit', '--quiet', '--all', '-m', `Release ${version}`);
  git(clone, 'tag', `v${version}`);
  return git(clone, 'rev-parse', 'HEAD');
}

/** Makes the files of the commit that is checked out and built, and tries them. */
function make(root, version) {
  const made = join(root, 'release');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made);
  writeFileSync(
    join(made, 'NOTES.md'),
    `${notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)}\n`,
  );
  const tarball = pack(root, made, version);
  const lock = ['--package-lock-only', '--omit', 'dev'];
  const sbom = npm(root, 2, 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...lock);
  writeFileSync(join(made, `coxswain-${version}.cdx.json`), sbom);
  run('tar', ['-czf', join(made, `coxswain-action-${version}.tgz`), '-C', 'dist', 'action'], {
    cwd: root,
    timeout: minute,
  });
  const sums = readdirSync(made)
    .sort()
    .map((name) => `${sha256(join(made, name))}  ${name}\n`);
  writeFileSync(join(made, 'SHA256SUMS'), sums.join(''));
  tryAll(root, tarball, version);
}

/** The package names the repository that it was made in, for its provenance. */
function pack(root, made, version) {
  const manifest = join(root, 'package.json');
  const before = readFileSync(manifest, 'utf8');
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  try {
    if (name) npm(root, 1, 'pkg', 'set', 'repository.type=git', `repository.url=git+${server}/${name}.git`);
    npm(root, 2, 'pack', '--pack-destination', made);
  } finally {
    writeFileSync(manifest, before);
  }
  return join(made, `coxswain-${version}.tgz`);
}

function tryAll(root, tarball, version) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-try-'));
  try {
    for (const node of nodes) say(tryPackage(tarball, node, folder));
    say(tryAction(checkoutOf(root, version, folder), folder, root));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What GitHub's runner checks out for an Action: the release's tag, as the workflow will push it, and nothing else. */
function checkoutOf(root, version, folder) {
  const [bare, checkout] = [join(folder, 'origin.git'), join(folder, 'action')];
  git(root, 'clone', '--quiet', '--bare', root, bare);
  git(bare, 'update-ref', 'refs/heads/main', git(root, 'rev-parse', 'HEAD'));
  git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  const script = resolve(root, 'scripts/tag-release.mjs');
  run(process.execPath, [script, 'push', `v${version}`, bare], { cwd: root, timeout: minute });
  git(
    root,
    'clone',
    '--quiet',
    '--depth',
    '1',
    '--branch',
    `v${version}`,
    pathToFileURL(bare).href,
    checkout,
  );
  return checkout;
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function npm(cwd, minutes, ...args) {
  return run('npm', args, { cwd, timeout: minutes * minute });
}

function git(cwd, ...args) {
  return run('git', args, { cwd, timeout: 2 * minute }).trim();
}

function say(text) {
  console.log(text);
}
