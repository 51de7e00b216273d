import { copyFile, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { git } from './git.ts';
import { inLane } from './lane.ts';
import type { Mirror } from './mirror.ts';
import { inside } from './objects.ts';

export interface Author {
  readonly name: string;
  readonly email: string;
}

/**
 * Checks a commit out into `dir`, detached: branches are never checked out by name.
 * What the commit will be made from is noted on our side, where whoever works in `dir` does not look.
 */
export async function addWorktree(
  mirror: Mirror,
  { dir, commit }: { dir: string; commit: string },
): Promise<void> {
  await inLane(mirror.dir, () =>
    git(
      ['-c', 'checkout.workers=0', 'worktree', 'add', '--quiet', '--force', '--detach', dir, commit],
      inside(mirror.dir),
    ),
  );
  const gitDir = await gitDirOf(mirror, dir);
  await writeFile(join(gitDir, parentFile), commit);
  await copyFile(join(gitDir, 'index'), join(gitDir, indexFile));
}

/** Removes a worktree with everything in it; one that is gone already is fine. */
export async function removeWorktree(mirror: Mirror, dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await pruneWorktrees(mirror);
}

/** Forgets the worktrees whose folders are gone. */
export async function pruneWorktrees(mirror: Mirror): Promise<void> {
  await inLane(mirror.dir, () => git(['worktree', 'prune', '--expire=now'], inside(mirror.dir)));
}

export interface Commit {
  readonly dir: string;
  readonly message: string;
  readonly author: Author;
  /** ISO 8601; now when absent. */
  readonly date?: string;
}

const parentFile = 'coxswain-parent';
const indexFile = 'coxswain-index';

/**
 * Commits everything in the worktree that is not ignored, on top of what was checked out or last committed here,
 * and answers with the commit, or undefined when nothing changed.
 * Commits, index entries, hooks and branches that somebody else made in the worktree have no say.
 */
export async function commitAll(mirror: Mirror, commit: Commit): Promise<string | undefined> {
  const gitDir = await gitDirOf(mirror, commit.dir);
  const env = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: resolve(commit.dir),
    GIT_INDEX_FILE: join(gitDir, indexFile),
    ...identity(commit),
  };
  const here = { cwd: commit.dir, env };
  const parent = (await readFile(join(gitDir, parentFile), 'utf8')).trim();
  await git(['add', '--all'], here);
  const tree = (await git(['write-tree'], here)).trim();
  if (tree === (await git(['rev-parse', `${parent}^{tree}`], here)).trim()) return undefined;
  const made = await git(['commit-tree', tree, '-p', parent, '-F', '-'], { ...here, input: commit.message });
  const sha = made.trim();
  await git(['update-ref', '--no-deref', 'HEAD', sha], here);
  await writeFile(join(gitDir, parentFile), sha);
  return sha;
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

/** Where the mirror keeps a worktree's own files, found without asking the worktree. */
async function gitDirOf(mirror: Mirror, dir: string): Promise<string> {
  const parent = join(mirror.dir, 'worktrees');
  const wanted = await realpath(dir);
  for (const name of await readdir(parent)) {
    const pointer = await readFile(join(parent, name, 'gitdir'), 'utf8').catch(() => ''); // being pruned
    const place = dirname(pointer.trim());
    if (pointer && (place === wanted || place === resolve(dir))) return join(parent, name);
  }
  throw new Error(`could not find the worktree ${dir} in ${mirror.dir}`);
}
