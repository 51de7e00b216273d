import { createHash } from 'node:crypto';
import { type Dirent, existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { shortened } from '../text/characters.ts';
import { GitError } from './git.ts';
import { anyOf } from './push-refusal.ts';

/** The files in a worktree are such that Git cannot take them: the fault of whoever made them, not ours. */
export class WorktreeUnusable extends Error {
  override name = 'WorktreeUnusable';
}

/** What Git says when this machine is at fault, whatever the files are. */
const machineFault = anyOf([
  ...['no space left', 'disk quota', 'cannot allocate', 'out of memory', 'too many open files'],
  ...['input/output error', 'read-only file system', 'unable to write', 'unable to create temporary'],
  ...[
    '\\.lock',
    'bad object',
    'corrupt',
    'not a git repository',
    'unable to read tree',
    'missing (?:blob|tree)',
  ],
]);

/** What Git says when a commit contains paths that no worktree can have, or a file that it cannot compare. */
const contentFault = anyOf([
  ...['invalid path', 'name too long', 'failed to encode', 'cannot create directory'],
  'unable to create (?:file|symlink|leading)',
  'unable to generate diff',
]);

/** Runs a command over files that anybody may have made; what it cannot take is told from our own errors. */
export async function overFiles<T>(what: string, act: () => Promise<T>): Promise<T> {
  return act().catch((cause: unknown) => {
    throw isMachines(cause) ? cause : new WorktreeUnusable(`${what}: ${reasonOf(cause)}`, { cause });
  });
}

/**
 * Runs a command over a commit that anybody may have made; what it cannot take is told from our own errors.
 */
export async function overCommit<T>(what: string, act: () => Promise<T>): Promise<T> {
  return act().catch((cause: unknown) => {
    const isContents = cause instanceof GitError && contentFault.test(cause.stderr) && !isMachines(cause);
    throw isContents ? new WorktreeUnusable(`${what}: ${reasonOf(cause)}`, { cause }) : cause;
  });
}

/** A command that takes too long waits for something in the files. */
function isMachines(cause: unknown): boolean {
  if (!(cause instanceof GitError)) return !(cause instanceof WorktreeUnusable);
  return machineFault.test(cause.stderr) || (cause.exitCode === null && !/took longer/.test(cause.message));
}

const maxLines = 5;
const maxLength = 500;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof GitError)) return cause instanceof Error ? cause.message : String(cause);
  const lines = cause.stderr.split('\n').filter((line) => !/^(?:hint|warning):/.test(line));
  return shortened(lines.slice(0, maxLines).join('\n') || cause.message, maxLength);
}

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
 * Throws as `requireReadable` does, and removes the `.git` of every repository inside: Git would commit only a
 * link to a commit that exists nowhere else, and would read that repository's own configuration, with filters
 * to run.
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
    throw new WorktreeUnusable(`cannot read ${beginning(relative(root, folder))}: ${fileFaultOf(cause)}`, {
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
    throw new WorktreeUnusable(`cannot remove ${beginning(path)}: ${fileFaultOf(cause)}`, { cause });
  }
}

function isMissing(cause: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(cause))) return undefined;
  throw new Error('could not look at the worktree', { cause });
}

function fileFaultOf(cause: unknown): string {
  return codeOf(cause) === 'ENAMETOOLONG' ? 'its path is too long' : codeOf(cause);
}

/** The system's name of a fault, such as `EACCES`; empty if it is another one. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** A path may have 4,096 bytes. */
function beginning(path: string): string {
  return shortened(path, 200);
}

/** What we know about a worktree, stored in the mirror, where the worktree's programs cannot change it. */
export interface WorktreeRecord {
  /** Our own index: unaffected by locks, hidden entries or an unfinished rebase in the worktree. */
  readonly index: string;
  /** The worktree's Git directory, as it was right after the worktree was added. */
  readonly gitDir: string;
  /** The commit that was checked out, or made here last. */
  readonly parent: string;
}

type StoredRecord = Omit<WorktreeRecord, 'index'> & { readonly dir: string };

export async function writeWorktreeRecord(mirrorDir: string, written: StoredRecord): Promise<void> {
  const folder = await folderOf(mirrorDir, written.dir);
  await mkdir(folder, { recursive: true });
  // Renamed into place, so that a concurrent prune sees either the old record or the new one.
  const fresh = join(folder, 'notes.json.new');
  await writeFile(fresh, JSON.stringify({ ...written, dir: resolve(written.dir) }));
  await rename(fresh, join(folder, 'notes.json'));
}

export async function readWorktreeRecord(mirrorDir: string, dir: string): Promise<WorktreeRecord> {
  const folder = await folderOf(mirrorDir, dir);
  if (!existsSync(folder)) throw new Error(`could not find the worktree ${dir} in ${mirrorDir}`);
  return { ...(await read(folder)), index: join(folder, 'index') };
}

/**
 * Removes records of worktrees whose folders are gone, and half-written records. Needs the mirror's mutex.
 */
export async function pruneWorktreeRecords(mirrorDir: string): Promise<void> {
  const all = join(mirrorDir, 'coxswain-worktrees');
  for (const name of existsSync(all) ? await readdir(all) : []) {
    const folder = join(all, name);
    const written = await read(folder).catch(() => undefined); // half written
    if (written === undefined || !existsSync(written.dir)) await rm(folder, { recursive: true, force: true });
  }
}

async function read(folder: string): Promise<StoredRecord> {
  // Written by `writeWorktreeRecord`, in a folder of ours.
  return JSON.parse(await readFile(join(folder, 'notes.json'), 'utf8')) as StoredRecord;
}

async function folderOf(mirrorDir: string, dir: string): Promise<string> {
  const path = join(await realpath(dirname(resolve(dir))), basename(resolve(dir)));
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(mirrorDir, 'coxswain-worktrees', name);
}
