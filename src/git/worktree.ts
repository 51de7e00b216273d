import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathsIn } from './changed-paths.ts';
import { git } from './git.ts';
import { environmentOf } from './git-index.ts';
import { runExclusive } from './keyed-mutex.ts';
import { type Mirror, resetConfig } from './mirror.ts';
import { type Author, identityOf, inside } from './objects.ts';
import { type AppliedOverlay, placeOf, restoreCovered } from './overlay.ts';
import {
  flattenRepositories,
  overCommit,
  overFiles,
  pruneWorktreeRecords,
  readWorktreeRecord,
  requireReadable,
  type WorktreeRecord,
  writeWorktreeRecord,
} from './untrusted-worktree.ts';

/**
 * Checks a commit out into `dir`, detached: branches are never checked out by name. With `parent` what the
 * commit has changed since that one is there as if it were not committed yet.
 */
export async function addWorktree(
  mirror: Mirror,
  { dir, commit, parent }: { dir: string; commit: string; parent?: string },
): Promise<void> {
  const command = ['-c', 'checkout.workers=0', 'worktree', 'add', '--quiet', '--force', '--detach'];
  await runExclusive(mirror.dir, async () => {
    await resetConfig(mirror.dir);
    await overCommit(`Git cannot check ${commit} out`, () =>
      git([...command, resolve(dir), commit], inside(mirror.dir)),
    );
    await recordWorktree(mirror, dir, parent);
  });
}

/** Called before any program has run in the worktree, so that what it reads can be trusted. */
async function recordWorktree(mirror: Mirror, dir: string, onto?: string): Promise<void> {
  const gitDir = (await readFile(join(dir, '.git'), 'utf8')).replace(/^gitdir: /, '').trim();
  if (onto !== undefined) await writeFile(join(gitDir, 'HEAD'), `${onto}\n`);
  const parent = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
  await writeWorktreeRecord(mirror.dir, { dir, gitDir, parent });
  await copyFile(join(gitDir, 'index'), (await readWorktreeRecord(mirror.dir, dir)).index);
}

/**
 * What of the mirror Git needs to read the worktree, by its path in a repository that has only this one: the
 * objects and branches and the worktree's own folder, but neither other worktrees nor our records.
 */
export async function readableOf(mirror: Mirror, dir: string): Promise<Readonly<Record<string, string>>> {
  const { gitDir } = await readWorktreeRecord(mirror.dir, dir);
  const shared = ['HEAD', 'config', 'objects', 'refs', 'packed-refs'];
  const all = [
    ...shared.map((name) => [name, join(mirror.dir, name)] as const),
    [ownFolder, gitDir] as const,
  ];
  return Object.fromEntries(all.filter(([, path]) => existsSync(path)));
}

/** The worktree's own folder, whatever its name is in the mirror. */
export const ownFolder = 'worktrees/workspace';

/**
 * Like `git worktree prune`, but for one worktree only. The caller removes its folder.
 * False when there is no such worktree.
 */
export function removeWorktreeRecord(mirror: Mirror, dir: string): Promise<boolean> {
  return runExclusive(mirror.dir, async () => {
    // It was never added, or has been removed already.
    const record = await readWorktreeRecord(mirror.dir, dir).catch(() => undefined);
    if (record === undefined) return false;
    await rm(record.gitDir, { recursive: true, force: true });
    await rm(dirname(record.index), { recursive: true, force: true });
    return true;
  });
}

/** Removes the records of worktrees whose folders no longer exist. */
export async function pruneWorktrees(mirror: Mirror): Promise<void> {
  await runExclusive(mirror.dir, async () => {
    await git(['worktree', 'prune', '--expire=now'], inside(mirror.dir));
    await pruneWorktreeRecords(mirror.dir);
  });
}

/** What to commit, and how. */
interface Commit {
  readonly dir: string;
  readonly message: string;
  readonly author: Author;
  /** ISO 8601; now when absent. */
  readonly date?: string;
  /** What is shown in the worktree instead of files of the commit. */
  readonly overlay?: AppliedOverlay;
  /** A second parent: what is committed is the merge with it, also if it changes nothing. */
  readonly merges?: string | undefined;
}

/**
 * Commits everything in the worktree that is not ignored, on top of what was checked out or last committed
 * here. Returns the commit, or undefined when nothing changed. Nothing in the worktree can influence this:
 * not its `.git`, hooks, filters, or commits and branches made there. Throws `WorktreeUnusable`.
 */
export async function commitAll(mirror: Mirror, commit: Commit): Promise<string | undefined> {
  const record = await readWorktreeRecord(mirror.dir, commit.dir);
  const dir = resolve(commit.dir);
  const place = { mirrorDir: mirror.dir, worktree: dir, index: record.index };
  const { cwd, env } = environmentOf(place);
  const here = { cwd, env: { ...env, ...identityOf(commit.author, commit.date) } };
  await resetConfig(mirror.dir);
  await flattenRepositories(dir);
  await overFiles('Git cannot take the files', () => git(['add', '--all'], here));
  if (commit.overlay !== undefined) await restoreCovered(place, commit.overlay);
  const [tree, before] = await Promise.all([
    git(['write-tree'], here),
    git(['rev-parse', `${record.parent}^{tree}`], here),
  ]);
  if (tree === before && commit.merges === undefined) return undefined;
  const parents = [record.parent, ...(commit.merges === undefined ? [] : [commit.merges])];
  const command = ['commit-tree', tree.trim(), ...parents.flatMap((each) => ['-p', each]), '-F', '-'];
  const made = await git(command, { ...here, input: commit.message });
  await advanceWorktree(mirror, { dir, record, parent: made.trim() });
  return made.trim();
}

const listingUntracked = ['ls-files', '-z', '--others', '--exclude-standard', '--directory'];

/**
 * Paths in the worktree that Git neither tracks nor ignores; an untracked folder is one path, with a slash at
 * the end.
 */
export async function untrackedIn(mirror: Mirror, worktree: string): Promise<readonly string[]> {
  const place = await placeOf(mirror, worktree);
  await requireReadable(place.worktree);
  return pathsIn(
    await overFiles('Git cannot list the files', () => git(listingUntracked, environmentOf(place))),
  );
}

/** Marks the worktree as clean at the new commit, for the next program that runs here. */
async function advanceWorktree(
  mirror: Mirror,
  { dir, record, parent }: { readonly dir: string; readonly record: WorktreeRecord; readonly parent: string },
): Promise<void> {
  await writeWorktreeRecord(mirror.dir, { dir, gitDir: record.gitDir, parent });
  await writeFile(join(record.gitDir, 'HEAD'), `${parent}\n`);
  await copyFile(record.index, join(record.gitDir, 'index'));
}
