import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** What we know about a worktree, stored in the mirror, where the worktree's programs cannot change it. */
export interface WorktreeRecord {
  /** Our own index: unaffected by locks, hidden entries or an unfinished rebase in the worktree. */
  readonly index: string;
  /** The worktree's Git directory, as it was right after the worktree was added. */
  readonly gitDir: string;
  /** The commit that was checked out, or made here last. */
  readonly parent: string;
}

interface StoredRecord {
  readonly dir: string;
  readonly gitDir: string;
  readonly parent: string;
}

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
