import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** What we know of a worktree without asking it, kept in the mirror, out of its workers' sight. */
export interface WorktreeRecord {
  /** An index of our own, untouched by locks, hidden entries or half a rebase. */
  readonly index: string;
  /** The worktree's own Git directory, as it was right after it was added. */
  readonly gitDir: string;
  /** The commit that was checked out or last made here. */
  readonly parent: string;
}

interface Written {
  readonly dir: string;
  readonly gitDir: string;
  readonly parent: string;
}

export async function writeWorktreeRecord(mirrorDir: string, written: Written): Promise<void> {
  const folder = await folderOf(mirrorDir, written.dir);
  await mkdir(folder, { recursive: true });
  // Renamed into its place, so that whoever prunes meanwhile sees all of it or what was there before.
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
 * Forgets worktrees whose folders are gone, and what a kill left half written. Nobody may add one meanwhile.
 */
export async function pruneWorktreeRecords(mirrorDir: string): Promise<void> {
  const all = join(mirrorDir, 'coxswain-worktrees');
  for (const name of existsSync(all) ? await readdir(all) : []) {
    const folder = join(all, name);
    const written = await read(folder).catch(() => undefined); // half written
    if (written === undefined || !existsSync(written.dir)) await rm(folder, { recursive: true, force: true });
  }
}

async function read(folder: string): Promise<Written> {
  // Written by `writeWorktreeRecord`, in a folder of ours.
  return JSON.parse(await readFile(join(folder, 'notes.json'), 'utf8')) as Written;
}

async function folderOf(mirrorDir: string, dir: string): Promise<string> {
  const path = join(await realpath(dirname(resolve(dir))), basename(resolve(dir)));
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(mirrorDir, 'coxswain-worktrees', name);
}
