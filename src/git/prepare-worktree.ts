import type { Dirent } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { shortened } from '../text/cut.ts';
import { WorktreeUnusable } from './worktree-unusable.ts';

/** Git opens files of these names wherever it goes, waits for a pipe, and reads them whole. */
const openedByGit = ['.gitignore', '.gitattributes', '.gitmodules'];

const maxBytes = 10 * 1024 * 1024;

/** More take too long to look through. */
const maxEntries = 5_000_000;

/**
 * Throws `WorktreeUnusable` for files with which Git would not come to an end. To be called before Git looks
 * at files that an agent or a program of the branch made.
 */
export async function requireReadable(dir: string): Promise<void> {
  await walk(dir, async () => undefined);
}

/**
 * The same, and removes the `.git` of every repository inside: Git would commit only a link to a commit that
 * exists nowhere else, and would read that repository's own configuration, with filters to run.
 */
export async function flattenRepositories(dir: string): Promise<void> {
  await walk(dir, removeRepository);
}

/** `onRepository` is called for the `.git` of each repository inside the worktree. */
async function walk(root: string, onRepository: (path: string) => Promise<void>): Promise<void> {
  if (!(await lstat(root).catch(isMissing))?.isDirectory())
    throw new WorktreeUnusable('the worktree is gone');
  const folders = [root];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(folder, root)) {
      count += 1;
      if (count > maxEntries) throw new WorktreeUnusable(`there are more than ${maxEntries} files`);
      const path = join(folder, entry.name);
      // A symbolic link to a folder is not a folder here, so it is not followed.
      if (entry.name.toLowerCase() === '.git') {
        if (folder !== root) await onRepository(path);
      } else if (entry.isDirectory()) folders.push(path);
      else if (openedByGit.includes(entry.name)) await requirePlain(entry, { path, root });
    }
  }
}

async function entriesOf(folder: string, root: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (codeOf(cause) === 'EACCES') return []; // Git reports this if it needs the folder.
    throw new WorktreeUnusable(`cannot read ${beginning(relative(root, folder))}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** Git does not follow a symbolic link of such a name. */
async function requirePlain(entry: Dirent, { path, root }: { path: string; root: string }): Promise<void> {
  if (entry.isSymbolicLink()) return;
  const name = beginning(relative(root, path));
  if (!entry.isFile()) throw new WorktreeUnusable(`${name} is not a plain file`);
  const { size } = await lstat(path);
  if (size > maxBytes) throw new WorktreeUnusable(`${name} is larger than ${maxBytes} bytes`);
}

async function removeRepository(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (cause) {
    throw new WorktreeUnusable(`cannot remove ${beginning(path)}: ${reasonOf(cause)}`, { cause });
  }
}

function isMissing(cause: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(cause))) return undefined;
  throw new Error('could not look at the worktree', { cause });
}

function reasonOf(cause: unknown): string {
  return codeOf(cause) === 'ENAMETOOLONG' ? 'its path is too long' : codeOf(cause);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** A path may have 4,096 bytes. */
function beginning(path: string): string {
  return shortened(path, 200);
}
