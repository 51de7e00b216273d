import { copyFile, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { git } from './git.ts';
import { runExclusive } from './keyed-mutex.ts';
import type { Mirror } from './mirror.ts';
import { inside } from './objects.ts';
import { resetConfig } from './reset-config.ts';
import {
  pruneWorktreeRecords,
  readWorktreeRecord,
  type WorktreeRecord,
  writeWorktreeRecord,
} from './worktree-record.ts';

/** Whose name a commit carries. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Checks a commit out into `dir`, detached: branches are never checked out by name. */
export async function addWorktree(
  mirror: Mirror,
  { dir, commit }: { dir: string; commit: string },
): Promise<void> {
  const command = ['-c', 'checkout.workers=0', 'worktree', 'add', '--quiet', '--force', '--detach'];
  await runExclusive(mirror.dir, async () => {
    await resetConfig(mirror.dir);
    await git([...command, resolve(dir), commit], inside(mirror.dir));
    await recordWorktree(mirror, dir);
  });
}

/** To be trusted now: nobody has worked here yet. */
async function recordWorktree(mirror: Mirror, dir: string): Promise<void> {
  const gitDir = (await readFile(join(dir, '.git'), 'utf8')).replace(/^gitdir: /, '').trim();
  const parent = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
  await writeWorktreeRecord(mirror.dir, { dir, gitDir, parent });
  await copyFile(join(gitDir, 'index'), (await readWorktreeRecord(mirror.dir, dir)).index);
}

/**
 * What `git worktree prune` would do for this one, without a look at all the others; its folder is whoever's
 * who asks. False when there is no such worktree.
 */
export function forgetWorktree(mirror: Mirror, dir: string): Promise<boolean> {
  return runExclusive(mirror.dir, async () => {
    // Never added, or forgotten already.
    const notes = await readWorktreeRecord(mirror.dir, dir).catch(() => undefined);
    if (notes === undefined) return false;
    await rm(notes.gitDir, { recursive: true, force: true });
    await rm(dirname(notes.index), { recursive: true, force: true });
    return true;
  });
}

/** Forgets the worktrees whose folders are gone. */
export async function pruneWorktrees(mirror: Mirror): Promise<void> {
  await runExclusive(mirror.dir, async () => {
    await git(['worktree', 'prune', '--expire=now'], inside(mirror.dir));
    await pruneWorktreeRecords(mirror.dir);
  });
}

/** What to commit, and how. */
export interface Commit {
  readonly dir: string;
  readonly message: string;
  readonly author: Author;
  /** ISO 8601; now when absent. */
  readonly date?: string;
}

/**
 * Commits everything in the worktree that is not ignored, on top of what was checked out or last committed
 * here, and answers with the commit, or undefined when nothing changed.
 * Nothing in the worktree has a say: neither its `.git`, nor hooks, filters, commits or branches made there.
 */
export async function commitAll(mirror: Mirror, commit: Commit): Promise<string | undefined> {
  const notes = await readWorktreeRecord(mirror.dir, commit.dir);
  const dir = resolve(commit.dir);
  const env = { GIT_DIR: mirror.dir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: notes.index, ...identity(commit) };
  const here = { cwd: dir, env };
  await resetConfig(mirror.dir);
  const [listing, before] = await Promise.all([
    git([...listingUntracked, '-t', '--stage'], here),
    git(['rev-parse', `${notes.parent}^{tree}`], here),
  ]);
  const paths = pathsIn(listing);
  const isUntracked = (path: string) => path.startsWith(untrackedTag);
  await flattenRepositories(dir, paths.filter(isUntracked).map(withoutTag));
  await closeSubmodules(dir, notes, paths.filter((path) => !isUntracked(path)).map(withoutTag));
  await git(['add', '--all'], here);
  const tree = (await git(['write-tree'], here)).trim();
  if (tree === before.trim()) return undefined;
  const made = await git(['commit-tree', tree, '-p', notes.parent, '-F', '-'], {
    ...here,
    input: commit.message,
  });
  await moveOn(mirror, { dir, notes, parent: made.trim() });
  return made.trim();
}

const listingUntracked = ['ls-files', '-z', '--others', '--exclude-standard', '--directory'];

/**
 * Paths in the worktree that Git neither tracks nor ignores; a folder of such is one path with a slash at the
 * end.
 */
export async function untrackedIn(mirror: Mirror, worktree: string): Promise<readonly string[]> {
  const { index } = await readWorktreeRecord(mirror.dir, worktree);
  const dir = resolve(worktree);
  // By an index of our own: neither the worktree's Git directory nor its `.git` is asked.
  const env = { GIT_DIR: mirror.dir, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index };
  return pathsIn(await git(listingUntracked, { cwd: dir, env }));
}

/** With `-t`, Git puts a letter and a blank before what it lists. */
const untrackedTag = '? ';

function withoutTag(listed: string): string {
  return listed.slice(untrackedTag.length);
}

function pathsIn(listing: string): readonly string[] {
  return listing.split('\0').filter((path) => path !== '');
}

/**
 * A repository inside the repository would be committed as a link to a commit nobody has: its files are
 * taken instead.
 */
async function flattenRepositories(dir: string, untracked: readonly string[]): Promise<void> {
  const folders = untracked.filter((path) => path.endsWith('/'));
  for (const folder of folders) await removeGitIn(join(dir, folder));
}

async function removeGitIn(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.toLowerCase() === '.git') await rm(path, { recursive: true, force: true });
    // A symbolic link to a folder is not a folder here, and is not followed.
    else if (entry.isDirectory()) await removeGitIn(path);
  }
}

/**
 * `git add` looks into a submodule that has been filled, by a Git that runs the filters which that one's
 * configuration names, and the agent may have written it. We never fill one, so there is nothing to look for.
 */
async function closeSubmodules(
  dir: string,
  { gitDir }: WorktreeRecord,
  staged: readonly string[],
): Promise<void> {
  const links = staged.flatMap((line) => /^160000 [^\t]*\t(.+)$/s.exec(line)?.[1] ?? []);
  for (const [index, path] of links.entries()) {
    const place = join(dir, path);
    // Where a symbolic link leads there, Git does not follow it either.
    if ((await realpath(place).catch(() => undefined)) !== place) continue;
    const aside = join(gitDir, `submodule-${Date.now()}-${index}`);
    await rename(join(place, '.git'), aside).catch(notFilled);
  }
}

function notFilled(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') {
    throw new Error('could not close a submodule', { cause });
  }
}

interface Move {
  readonly dir: string;
  readonly notes: WorktreeRecord;
  readonly parent: string;
}

/** For whoever works here next, the worktree is clean at the new commit. */
async function moveOn(mirror: Mirror, { dir, notes, parent }: Move): Promise<void> {
  await writeWorktreeRecord(mirror.dir, { dir, gitDir: notes.gitDir, parent });
  await writeFile(join(notes.gitDir, 'HEAD'), `${parent}\n`);
  await copyFile(notes.index, join(notes.gitDir, 'index'));
}

function identity({ author, date }: Commit): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    ...(date && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
  };
}
