import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { BranchObstructed, claimBranch, PushRefused } from '../../src/git/claim-branch.ts';
import { git } from '../../src/git/git.ts';
import { type Mirror, openMirror, resetConfig } from '../../src/git/mirror.ts';
import { listRemote, pushRefs } from '../../src/git/remote.ts';
import { addWorktree, commitAll, pruneWorktrees, removeWorktreeRecord } from '../../src/git/worktree.ts';
import { type GitServer, startGitServer } from '../ledger/git-server.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

const author = { name: 'Coxswain', email: 'coxswain@noreply.invalid' };
const at = '2026-11-21T10:00:00Z';

/** The remote, the clone and the mirror that each test begins with a copy of. */
let seeded: { readonly server: GitServer; readonly work: WorkCopy; readonly folder: string };
let server: GitServer;
let work: WorkCopy;
let folder: string;
let mirror: Mirror;
let base: string;

const open = (): Promise<Mirror> => openMirror({ dir: join(folder, 'mirror.git'), remote: server.remote });
const push = (ref: string): Promise<string> =>
  work.git('push', '--quiet', '--force', server.repository, `HEAD:${ref}`);

beforeAll(async () => {
  server = await startGitServer();
  work = await workCopy();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-seed-'));
  base = await work.commit({ 'a.txt': 'one\n', '.gitignore': 'ignored\n', 'sub/b.txt': 'b\n' });
  await push('refs/heads/main');
  await open();
  seeded = { server, work, folder };
});

afterAll(() => end(seeded));

beforeEach(async () => {
  server = await startGitServer({ token: 'ghs_secret1234567890', copyOf: seeded.server.repository });
  work = await workCopy({ copyOf: seeded.work });
  folder = await mkdtemp(join(tmpdir(), 'coxswain-mirror-'));
  await cp(seeded.folder, folder, { recursive: true });
  mirror = await open();
});

afterEach(() => end({ server, work, folder }));

async function end(used: typeof seeded): Promise<void> {
  const folders = rm(used.folder, { recursive: true, force: true });
  await Promise.all([used.server.close(), used.work.remove(), folders]);
}

async function remove(worktree: string): Promise<boolean> {
  const existed = await removeWorktreeRecord(mirror, worktree);
  await rm(worktree, { recursive: true, force: true });
  return existed;
}

test('a mirror contains the branches and their files', async () => {
  expect(await mirror.resolve('main')).toBe(base);
  expect(await mirror.readFile('main', 'sub/b.txt')).toBe('b\n');
});

test('missing revisions and files are undefined', async () => {
  expect(await mirror.resolve('nowhere')).toBeUndefined();
  expect(await mirror.resolve('main^{tree}')).toBeUndefined();
  expect(await mirror.resolve('0'.repeat(40))).toBeUndefined();
  expect(await mirror.readFile('main', 'nothing')).toBeUndefined();
  expect(await mirror.readFile('main', 'odd\nname')).toBeUndefined();
  expect(await mirror.readFile('main', 'sub')).toBeUndefined();
});

test('a fetch adds new branches and removes deleted ones', async () => {
  await push('refs/heads/feature');
  await mirror.fetch();
  expect(await mirror.resolve('feature')).toBe(base);
  await server.git('update-ref', '-d', 'refs/heads/feature');
  await mirror.fetch();
  expect(await mirror.resolve('feature')).toBeUndefined();
});

test('concurrent fetches of two mirrors in the same folder all succeed', async () => {
  const other = await open();
  await work.commit({ 'a.txt': 'two\n' });
  await push('refs/heads/main');
  await Promise.all([mirror, other, mirror, other, mirror].map((each) => each.fetch()));
  expect(await other.readFile('main', 'a.txt')).toBe('two\n');
});

test('a mirror opened concurrently is created once and leaves no other files', async () => {
  const dir = join(folder, 'many', 'mirror.git');
  await Promise.all([1, 2, 3].map(() => openMirror({ dir, remote: server.remote })));
  expect(await readdir(join(folder, 'many'))).toEqual(['mirror.git']);
});

test('a mirror without its objects is created again when it is opened', async () => {
  await rm(join(folder, 'mirror.git', 'objects'), { recursive: true });
  await writeFile(join(folder, 'mirror.git', 'packed-refs'), '');
  expect(await (await open()).readFile('main', 'a.txt')).toBe('one\n');
});

test('a mirror damaged while it is open is created again by the next fetch', async () => {
  await rm(join(folder, 'mirror.git', 'HEAD'));
  await mirror.fetch();
  expect(await mirror.readFile('main', 'a.txt')).toBe('one\n');
});

test('a stale lock of a killed Git does not stop a fetch', async () => {
  const lock = join(folder, 'mirror.git', 'packed-refs.lock');
  await writeFile(lock, '');
  await utimes(lock, new Date('2026-01-01'), new Date('2026-01-01'));
  await push('refs/heads/feature');
  await (await open()).fetch();
  expect(existsSync(lock)).toBe(false);
});

test('a missing remote is named in the error, and leaves no folder', async () => {
  const dir = join(folder, 'other.git');
  const url = server.remote.url.replace('repo.git', 'missing.git');
  await expect(openMirror({ dir, remote: { ...server.remote, url } })).rejects.toThrow(
    /could not mirror .*missing\.git/,
  );
  expect((await readdir(folder)).filter((name) => name.startsWith('other'))).toEqual([]);
});

test('a worktree commits all changes that are not ignored', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await writeFile(join(dir, 'new.txt'), 'new\n');
  await writeFile(join(dir, 'ignored'), 'x');
  await rm(join(dir, 'a.txt'));
  const sha = await commitAll(mirror, { dir, message: 'Add new\n\nCoxswain-Run: a/b#1\n', author, date: at });
  expect(await mirror.readFile(String(sha), 'new.txt')).toBe('new\n');
  expect(await mirror.readFile(String(sha), 'a.txt')).toBeUndefined();
  expect(await mirror.readFile(String(sha), 'ignored')).toBeUndefined();
  const format = '--format=%P|%B|%an|%ad|%cd';
  const made = await git(['show', '--no-patch', '--date=iso-strict', format, String(sha)], {
    cwd: mirror.dir,
  });
  const when = '2026-11-21T10:00:00+00:00';
  expect(made).toBe(`${base}|Add new\n\nCoxswain-Run: a/b#1\n|Coxswain|${when}|${when}\n`);
});

test('a worktree without changes makes no commit', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  expect(await commitAll(mirror, { dir, message: 'x', author })).toBeUndefined();
});

test('a second commit is on top of the first', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await writeFile(join(dir, 'new.txt'), '1\n');
  const first = await commitAll(mirror, { dir, message: 'one', author, date: at });
  await writeFile(join(dir, 'new.txt'), '2\n');
  const second = await commitAll(mirror, { dir, message: 'two', author, date: at });
  expect(await mirror.resolve(`${second}^`)).toBe(first);
});

test('commits by the agent itself become part of the commit', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  const theirs = { ...work, dir };
  await writeFile(join(dir, 'new.txt'), 'new\n');
  const env = {
    GIT_AUTHOR_NAME: 'x',
    GIT_AUTHOR_EMAIL: 'x',
    GIT_COMMITTER_NAME: 'x',
    GIT_COMMITTER_EMAIL: 'x',
  };
  await git(['checkout', '--quiet', '-b', 'own'], { cwd: theirs.dir });
  await git(['add', '.'], { cwd: dir });
  await git(['commit', '--quiet', '-m', 'own'], { cwd: dir, env });
  const sha = await commitAll(mirror, { dir, message: 'ours', author });
  expect(await mirror.resolve(`${sha}^`)).toBe(base);
  expect(await mirror.readFile(String(sha), 'new.txt')).toBe('new\n');
});

test('a worktree with a manipulated .git is still committed to the mirror', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await work.git('config', 'core.fsmonitor', `touch ${join(folder, 'owned')}`);
  await writeFile(join(dir, '.git'), `gitdir: ${work.gitDir}\n`);
  await writeFile(join(dir, '.gitattributes'), '* filter=evil\n');
  await git(['config', 'filter.evil.clean', `touch ${join(folder, 'owned')}; cat`], { cwd: mirror.dir });
  await writeFile(join(dir, 'new.txt'), 'new\n');
  const sha = await commitAll(mirror, { dir, message: 'x', author });
  expect(await mirror.readFile(String(sha), 'new.txt')).toBe('new\n');
  expect(existsSync(join(folder, 'owned'))).toBe(false);
});

test('an index lock of a killed agent does not stop the commit', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  const pointer = (await readFile(join(dir, '.git'), 'utf8')).replace('gitdir: ', '').trim();
  await writeFile(join(pointer, 'index.lock'), '');
  await writeFile(join(dir, 'new.txt'), 'new\n');
  expect(await commitAll(mirror, { dir, message: 'x', author })).toMatch(/^[0-9a-f]{40}$/);
});

test('after a commit the worktree is clean', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await writeFile(join(dir, 'new.txt'), 'new\n');
  const sha = await commitAll(mirror, { dir, message: 'x', author });
  expect(await git(['status', '--porcelain'], { cwd: dir })).toBe('');
  expect((await git(['rev-parse', 'HEAD'], { cwd: dir })).trim()).toBe(sha);
});

test.each([true, false])(
  'a repository created in the worktree is committed as files (it has commits: %s)',
  async (commits) => {
    const dir = join(folder, 'attempt');
    await addWorktree(mirror, { dir, commit: base });
    const nested = join(dir, 'deep', 'app');
    await git(['init', '--quiet', nested]);
    await writeFile(join(nested, 'index.js'), 'hello\n');
    const env = {
      GIT_AUTHOR_NAME: 'x',
      GIT_AUTHOR_EMAIL: 'x',
      GIT_COMMITTER_NAME: 'x',
      GIT_COMMITTER_EMAIL: 'x',
    };
    if (commits) {
      await git(['add', '.'], { cwd: nested });
      await git(['commit', '--quiet', '-m', 'x'], { cwd: nested, env });
    }
    const sha = await commitAll(mirror, { dir, message: 'x', author });
    expect(await mirror.readFile(String(sha), 'deep/app/index.js')).toBe('hello\n');
  },
);

test('concurrent commands may all reset a configuration that an agent changed', async () => {
  const config = join(mirror.dir, 'config');
  await resetConfig(mirror.dir);
  const original = await readFile(config, 'utf8');
  await writeFile(config, '[filter "x"]\n\tclean = false\n');
  await Promise.all(Array.from({ length: 10 }, () => resetConfig(mirror.dir)));
  expect(await readFile(config, 'utf8')).toBe(original);
});

test('a fetch is not stopped by a branch that an agent checked out', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await git(['checkout', '--quiet', 'main'], { cwd: dir });
  await work.commit({ 'a.txt': 'two\n' });
  await push('refs/heads/main');
  await mirror.fetch();
  expect(await mirror.readFile('main', 'a.txt')).toBe('two\n');
});

test('a symbolic link out of the worktree is committed as a link', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: base });
  await symlink('/etc/hostname', join(dir, 'link'));
  const sha = await commitAll(mirror, { dir, message: 'x', author });
  expect(await mirror.readFile(String(sha), 'link')).toBe('/etc/hostname');
});

test('worktrees are added concurrently, removed, and pruned after a crash', async () => {
  const dirs = ['one', 'two', 'three'].map((name) => join(folder, name, 'work'));
  await Promise.all(dirs.map((dir) => addWorktree(mirror, { dir, commit: base })));
  expect(await remove(dirs[0] ?? '')).toBe(true);
  expect(await remove(dirs[0] ?? '')).toBe(false);
  await rm(dirs[1] ?? '', { recursive: true });
  await pruneWorktrees(mirror);
  expect(await readdir(join(mirror.dir, 'worktrees'))).toHaveLength(1);
});

test('half-written records of a killed process are pruned, and others keep working', async () => {
  const dir = join(folder, 'one', 'work');
  await addWorktree(mirror, { dir, commit: base });
  const records = join(mirror.dir, 'coxswain-worktrees');
  const [kept = ''] = await readdir(records);
  await mkdir(join(records, 'no-record-yet'));
  await mkdir(join(records, 'half-a-record'));
  await writeFile(join(records, 'half-a-record', 'notes.json'), '{"dir":"/half/of');
  await pruneWorktrees(mirror);
  expect(await readdir(records)).toEqual([kept]);
  await writeFile(join(dir, 'a.txt'), 'changed\n');
  expect(await commitAll(mirror, { dir, message: 'x', author })).toMatch(/^[0-9a-f]{40}$/);
});

test('worktrees can be added and removed concurrently', async () => {
  const dirs = Array.from({ length: 8 }, (_, index) => join(folder, String(index), 'work'));
  const comeAndGo = async (dir: string) => {
    await addWorktree(mirror, { dir, commit: base });
    await remove(dir);
  };
  await Promise.all(dirs.map(comeAndGo));
  expect(await readdir(join(mirror.dir, 'coxswain-worktrees'))).toEqual([]);
});

test('a claim creates the branch once; a second claim gets the existing one', async () => {
  const claim = { branch: 'coxswain/fix-1', base, message: 'Start\n\nCoxswain-Cause: issue:1:run\n', at };
  const first = await claimBranch(mirror, claim);
  expect(first.created).toBe(true);
  expect(await claimBranch(mirror, claim)).toEqual({ sha: first.sha, created: false });
  const other = await claimBranch(mirror, { ...claim, at: '2026-11-21T11:00:00Z' });
  expect(other).toEqual({ sha: first.sha, created: false });
  expect(await mirror.resolve('coxswain/fix-1')).toBe(first.sha);
});

test('a claim says which branch of another name leaves no room for it', async () => {
  await server.git('update-ref', 'refs/heads/coxswain', base);
  const claim = { branch: 'coxswain/fix-1', base, message: 'Start', at };
  const refused = expect(claimBranch(mirror, claim)).rejects;
  await refused.toThrow(BranchObstructed);
  await server.git('update-ref', '-d', 'refs/heads/coxswain');
  await expect(claimBranch(mirror, claim)).resolves.toMatchObject({ created: true });
});

test('one branch is fetched although a deleted one had the name of its folder', async () => {
  await server.git('update-ref', 'refs/heads/shade', base);
  await mirror.fetch();
  await server.git('update-ref', '-d', 'refs/heads/shade');
  await server.git('update-ref', 'refs/heads/shade/b', base);
  await mirror.fetch(['+refs/heads/shade/b:refs/heads/shade/b']);
  expect(await mirror.resolve('refs/heads/shade/b')).toBe(base);
});

test('two concurrent claims create one branch', async () => {
  const claims = [1, 2, 3, 4].map((hour) =>
    claimBranch(mirror, { branch: 'coxswain/x', base, message: 'Start', at: `2026-11-21T0${hour}:00:00Z` }),
  );
  const made = await Promise.all(claims);
  expect(made.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(made.map(({ sha }) => sha)).size).toBe(1);
});

test('a claim rejected by a rule quotes the rule', async () => {
  await server.hook('update', 'echo "error: GH013: branch names must begin with team/" >&2; exit 1');
  const claim = claimBranch(mirror, { branch: 'coxswain/x', base, message: 'Start', at });
  await expect(claim).rejects.toThrow(PushRefused);
  await expect(claim).rejects.toThrow(/GH013: branch names must begin with team\//);
});

test('a claim whose response was lost still counts as created', async () => {
  server.failNext(/POST .*git-receive-pack/, 'cut_after');
  const claim = await claimBranch(mirror, { branch: 'coxswain/x', base, message: 'Start', at });
  expect(claim.created).toBe(true);
});

test('a branch is deleted only at the commit that was read', async () => {
  await push('refs/heads/feature');
  const ref = 'refs/heads/feature';
  const stale = await pushRefs(mirror, [{ ref, from: '1'.repeat(40), to: null }]);
  expect(stale).toMatchObject({ landed: false, kind: 'moved', refs: ['refs/heads/feature'] });
  expect(await pushRefs(mirror, [{ ref, from: base, to: null }])).toMatchObject({ landed: true });
  expect([...(await listRemote(server.remote, ['refs/heads/*'])).keys()]).toEqual(['refs/heads/main']);
});
