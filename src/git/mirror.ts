import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import pRetry from 'p-retry';
import { GitError, git, isDamage, type Remote, suspected } from './git.ts';
import { runExclusive } from './keyed-mutex.ts';
import { inside, readFiles, resolveCommit } from './objects.ts';

/** A full bare copy of a repository's branches, never shallow, shared by all of its runs. */
export interface Mirror {
  readonly dir: string;
  readonly remote: Remote;
  /** Updates refs, by default all branches; deleted ones are removed. */
  fetch(refspecs?: readonly string[]): Promise<void>;
  /** Updates these branches only. */
  fetchBranches(...names: readonly string[]): Promise<void>;
  /** The commit of a revision, if it has been fetched. */
  resolve(rev: string): Promise<string | undefined>;
  /** The text of a file at a revision; undefined when it does not exist. */
  readFile(rev: string, path: string): Promise<string | undefined>;
  /**
   * Reads in `dir`, and once more in a new mirror if that is damaged: what is there but cannot be read must
   * never be taken for what does not exist.
   */
  reading<T>(read: () => Promise<T>): Promise<T>;
}

const branchRefspecs = ['+refs/heads/*:refs/heads/*'];
const firstFetchMs = 30 * 60_000;

/** Opens the mirror in `dir`; creates it when it is missing, and again when it is corrupt. */
export async function openMirror(options: { dir: string; remote: Remote }): Promise<Mirror> {
  const { remote } = options;
  const dir = resolve(options.dir);
  await runExclusive(dir, async () => {
    if (existsSync(dir)) await removeStaleLocks(dir);
    if (!existsSync(dir)) await create(dir, remote);
    else if (!(await isHealthy(dir))) await create(dir, remote, 'instead');
  });
  const reading = <T>(read: () => Promise<T>) => readSoundly(dir, remote, read);
  const fetch = (refspecs = branchRefspecs) => runExclusive(dir, () => fetchOrRebuild(dir, remote, refspecs));
  return {
    dir,
    remote,
    fetch,
    fetchBranches: (...names) => fetch(names.map((name) => `+refs/heads/${name}:refs/heads/${name}`)),
    resolve: (rev) => reading(() => resolveCommit(dir, rev)),
    readFile: (rev, path) => reading(async () => (await readFiles(dir, [`${rev}:${path}`]))[0]),
    reading,
  };
}

/** Lists every branch with its commit's type, so that a missing or damaged pack is noticed. */
async function isHealthy(dir: string): Promise<boolean> {
  try {
    await git(['for-each-ref', '--format=%(objecttype)', 'refs/heads'], inside(dir));
    return true;
  } catch (cause) {
    if (cause instanceof GitError && cause.exitCode !== null) return false;
    throw cause;
  }
}

/**
 * Fetches into a temporary folder and puts it in place, so that a crash never leaves half a mirror. What it
 * is made `instead` of goes only then, for there may be no network at the moment.
 */
async function create(dir: string, remote: Remote, instead?: 'instead'): Promise<void> {
  const fresh = `${dir}.new-${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(dir), { recursive: true });
  try {
    await git(['init', '--quiet', '--bare', '--template=', fresh]);
    await fetchInto(fresh, remote, { refspecs: branchRefspecs, timeoutMs: firstFetchMs });
    if (instead && existsSync(dir)) await discard(dir, fresh);
    await rename(fresh, dir);
    suspected.delete(dir);
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true });
    const elsewhere = !instead && existsSync(dir); // another process was first
    if (!elsewhere) throw new Error(`could not mirror ${remote.url}`, { cause });
  }
}

async function readSoundly<T>(dir: string, remote: Remote, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (fault) {
    if (!isDamage(fault)) throw fault;
    await runExclusive(dir, () => rebuildOnce(dir, remote));
    return await read();
  }
}

const rebuilt = new Map<string, number>();
const restMs = 60_000;

/** What is still damaged right after that will not become better by another one. */
async function rebuildOnce(dir: string, remote: Remote): Promise<void> {
  if (Date.now() - (rebuilt.get(dir) ?? 0) < restMs) return;
  await create(dir, remote, 'instead');
  rebuilt.set(dir, Date.now());
}

async function fetchOrRebuild(dir: string, remote: Remote, refspecs: readonly string[]): Promise<void> {
  // Commands that only read have found damage that a fetch may not notice.
  if (suspected.has(dir)) await rebuildOnce(dir, remote);
  try {
    await fetchInto(dir, remote, { refspecs });
  } catch (cause) {
    if (isLockError(cause) && refspecs !== branchRefspecs) {
      // A branch that was deleted on the remote may be in the way: `a` of the `a/b` that is wanted.
      await fetchInto(dir, remote, { refspecs: branchRefspecs });
    } else if (isCorruption(cause) || !existsSync(dir)) {
      await create(dir, remote, 'instead');
    } else throw cause;
    await fetchInto(dir, remote, { refspecs });
  }
}

/** When another process fetches the same refs, Git's lock rejects one of the two, which tries again. */
async function fetchInto(
  dir: string,
  remote: Remote,
  { refspecs, ...rest }: { readonly refspecs: readonly string[]; readonly timeoutMs?: number },
): Promise<void> {
  const command = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--prune',
    '--update-head-ok',
    remote.url,
    ...refspecs,
  ];
  await resetConfig(dir);
  await pRetry(() => git(command, { ...inside(dir), ...rest, remote }), {
    retries: 4,
    minTimeout: 100,
    randomize: true,
    shouldRetry: ({ error }) => isLockError(error),
  });
}

function isLockError(cause: unknown): boolean {
  return cause instanceof GitError && /cannot lock ref|Unable to create '.*\.lock'/.test(cause.stderr);
}

/** A fetch names no object, so none that is bad is merely unknown. */
function isCorruption(cause: unknown): boolean {
  const words = /bad object|did not send all necessary objects/;
  return isDamage(cause) || (cause instanceof GitError && words.test(cause.stderr));
}

/** What agents are working on at the moment goes on in the fresh mirror. */
async function discard(dir: string, fresh: string): Promise<void> {
  for (const name of ['worktrees', 'coxswain-worktrees'])
    if (existsSync(join(dir, name))) await rename(join(dir, name), join(fresh, name));
  const discarded = `${dir}.broken-${randomBytes(6).toString('hex')}`;
  await rename(dir, discarded);
  await rm(discarded, { recursive: true, force: true });
}

const staleLockMs = 60 * 60_000;

/** Removes the lock files of a Git that was killed. No command of ours runs as long as these have existed. */
async function removeStaleLocks(dir: string): Promise<void> {
  const refs = await readdir(join(dir, 'refs'), { recursive: true }).catch(() => []); // the mirror is corrupt
  const names = [...(await readdir(dir)), ...refs.map((name) => join('refs', name))];
  for (const name of names.filter((each) => each.endsWith('.lock'))) {
    const path = join(dir, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() })); // removed in the meantime
    if (Date.now() - mtimeMs > staleLockMs) await rm(path, { force: true });
  }
}

/** Paths that other file systems take for `.git` are refused everywhere. */
const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tprotectHFS = true
\tprotectNTFS = true
`;

/**
 * Restores a mirror's original configuration.
 * Without a sandbox, programs in a worktree can change it, by `git config` or `git lfs install`, even to a
 * filter that our own Git would run.
 */
export async function resetConfig(gitDir: string): Promise<void> {
  const path = join(gitDir, 'config');
  if (existsSync(path) && (await readFile(path, 'utf8')) === config) return;
  // A unique name: several commands may reset the configuration at the same time.
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(fresh, config);
  await rename(fresh, path);
}
