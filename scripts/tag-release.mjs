// Puts the tags of a release on a commit that also has the built files (docs/decisions/0014).
// Usage: node scripts/tag-release.mjs check|push <tag> [repository], by default that of `origin`
// `check` looks whether the tag can be released, and writes what later steps need to $GITHUB_OUTPUT.
// `push` adds the built files to the commit that is checked out, and pushes the tags.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [mode = '', tag = '', origin = 'origin'] = process.argv.slice(2);
const built = ['dist/action', 'dist/cli'];

try {
  if (mode === 'check') tell(check());
  else if (mode === 'push') push(check());
  else throw new Error('usage: node scripts/tag-release.mjs check|push <tag>');
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}

/** What the tag stands for. Throws if it must not be released. */
function check() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  if (tag !== `v${version}`)
    throw new Error(`the tag is ${tag}, but package.json has the version ${version}`);
  const own = versionOf(tag);
  if (own === undefined) throw new Error(`${tag} is not a version such as v1.2.3 or v1.2.3-rc.1`);
  const head = git('rev-parse', 'HEAD');
  requireReviewed(head);
  const others = [...remoteTags().keys()].flatMap((name) => versionOf(name) ?? []);
  const isHighest = others.every((other) => other.isEarly || !isHigher(other, own));
  const sameMajor = others.filter(({ numbers }) => numbers[0] === own.numbers[0]);
  const isHighestOfMajor = sameMajor.every((other) => other.isEarly || !isHigher(other, own));
  const major = `v${own.numbers[0]}`;
  const npmTag = own.isEarly ? 'next' : isHighest ? 'latest' : `latest-${own.numbers[0]}`;
  // Neither a correction of an old version nor one that is tried out may move people back or ahead.
  return {
    version,
    head,
    npmTag,
    isEarly: own.isEarly,
    majorTag: !own.isEarly && isHighestOfMajor ? major : '',
  };
}

function tell({ version, npmTag, isEarly, majorTag }) {
  const lines = [`version=${version}`, `npm-tag=${npmTag}`, `major-tag=${majorTag}`, `prerelease=${isEarly}`];
  console.log(lines.join('\n'));
  if (process.env['GITHUB_OUTPUT']) appendFileSync(process.env['GITHUB_OUTPUT'], `${lines.join('\n')}\n`);
}

/** A release is of what was merged, not of what somebody has on a branch. */
function requireReviewed(head) {
  const [, branch] =
    /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(git('ls-remote', '--symref', origin, 'HEAD')) ?? [];
  git('fetch', '--quiet', '--no-tags', origin, `refs/heads/${branch}`);
  if (isAncestor(head, 'FETCH_HEAD')) return;
  throw new Error(`${tag} is at ${head}, which is not on ${branch}`);
}

function push({ head, majorTag }) {
  const known = remoteTags();
  const release = releaseCommit(head);
  const at = known.get(tag);
  // After a failure of a later step the workflow runs again, and finds its own commit.
  if (at !== undefined && at.commit !== head && at.commit !== release)
    throw new Error(`${tag} is at ${at.commit} now, so somebody has moved it`);
  const names = [tag, ...(majorTag === '' ? [] : [majorTag])];
  const leases = names.map((name) => `--force-with-lease=refs/tags/${name}:${known.get(name)?.object ?? ''}`);
  const refs = names.map((name) => `${release}:refs/tags/${name}`);
  git('push', '--quiet', '--atomic', ...leases, origin, ...refs);
  console.log(`${names.join(' and ')} are at ${release}`);
}

/** The commit with the built files: the same one each time, on the commit that was tagged. */
function releaseCommit(head) {
  const missing = built.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(' and no ')}: run npm run build first`);
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-release-'));
  const date = git('show', '--no-patch', '--format=%cI', head);
  const who = { NAME: 'github-actions[bot]', EMAIL: '41898282+github-actions[bot]@users.noreply.github.com' };
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  for (const role of ['AUTHOR', 'COMMITTER']) {
    Object.assign(env, { [`GIT_${role}_NAME`]: who.NAME, [`GIT_${role}_EMAIL`]: who.EMAIL });
    Object.assign(env, { [`GIT_${role}_DATE`]: date });
  }
  const inIndex = (...args) => gitWith(env, ...args);
  try {
    inIndex('read-tree', head);
    inIndex('add', '--force', '--', ...built);
    const message = `Release ${tag}\n\nThe built files, which GitHub runs the Action from. The source is the parent.`;
    return inIndex('commit-tree', inIndex('write-tree'), '-p', head, '-m', message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By name: the object that the tag names, and the commit that this leads to. */
function remoteTags() {
  const tags = new Map();
  for (const line of git('ls-remote', '--tags', origin).split('\n')) {
    const [, object, name, peeled] = /^([0-9a-f]+)\trefs\/tags\/(.+?)(\^\{\})?$/.exec(line) ?? [];
    if (name === undefined) continue;
    tags.set(name, peeled ? { ...tags.get(name), commit: object } : { object, commit: object });
  }
  return tags;
}

function versionOf(name) {
  const [, numbers, early] = /^v(\d+\.\d+\.\d+)(-[0-9A-Za-z.-]+)?$/.exec(name) ?? [];
  return numbers && { numbers: numbers.split('.').map(Number), isEarly: early !== undefined };
}

function isHigher(one, other) {
  const at = one.numbers.findIndex((number, index) => number !== other.numbers[index]);
  return at >= 0 && one.numbers[at] > other.numbers[at];
}

function isAncestor(commit, of) {
  return git('rev-list', '--max-count=1', commit, `^${of}`) === '';
}

function git(...args) {
  return gitWith({}, ...args);
}

function gitWith(env, ...args) {
  return execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, ...env } }).trim();
}
