import type { Dirent } from 'node:fs';
import { copyFile, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { git, gitBytes } from './git.ts';
import {
  bytesOf,
  checkOutAll,
  type Entries,
  entriesOfCommit,
  entriesOfIndex,
  type IndexEntry,
  type IndexPlace,
  isSameEntry,
  takeFiles,
  textOf,
  writeEntries,
} from './git-index.ts';
import { runExclusive } from './keyed-mutex.ts';
import type { Mirror } from './mirror.ts';
import { inside, sizesOf } from './objects.ts';
import { codeOf, overFiles, readWorktreeRecord, WorktreeUnusable } from './untrusted-worktree.ts';

/** Files of a worktree that are shown as they are at another revision. */
export interface Overlay {
  /** The files that are shown, in order. */
  readonly shown: readonly string[];
  /** Files that the worktree's own commit has otherwise, or has not, or that only it has. */
  readonly differing: readonly string[];
  readonly covers: Covers;
  /** What is shown, by path. */
  readonly given: Entries;
  /** What the worktree's own commit has at all the paths that are covered. */
  readonly own: Entries;
}

/** An overlay that is in place. */
export interface AppliedOverlay {
  /** Only paths where what is shown differs from the commit. */
  readonly covered: ReadonlyMap<string, Covered>;
}

interface Covered {
  /** As Git would take what is shown; null if nothing is. */
  readonly given: IndexEntry | null;
  readonly own: IndexEntry | null;
}

/** Which files are shown as they are at the other revision; undefined for all others. */
export type Covers = (path: string) => Cover | undefined;

export interface Cover {
  /** The folder without which a file has no place: it is shown only where the worktree has it. */
  readonly folder: string;
  /** Nothing is shown there, whatever the other revision has; or only no symbolic link. */
  readonly hidden?: 'all' | 'link';
}

/** What would be shown in a worktree that is as it was checked out. */
export async function planOverlay(
  mirror: Mirror,
  dir: string,
  { rev, covers }: { readonly rev: string; readonly covers: Covers },
): Promise<Overlay> {
  const place = await placeOf(mirror, dir);
  const [theirs, all] = await Promise.all([entriesOfCommit(mirror.dir, rev), entriesOfIndex(place)]);
  const folders = foldersOf(all.keys());
  const wanted = [...theirs].filter(([path]) => {
    const cover = covers(path);
    return cover !== undefined && cover.hidden === undefined && folders.has(cover.folder);
  });
  const isCovered = (path: string) => covers(path) !== undefined;
  const given = await withoutLinks(mirror.dir, { rev, wanted: new Map(wanted), covers: isCovered });
  const own = new Map([...all].filter(([path]) => isCovered(path)));
  const differing = union(given, own).filter(
    (path) => covers(path)?.hidden === undefined && !isSameEntry(given.get(path), own.get(path)),
  );
  const named = (paths: Iterable<string>) => [...paths].map(textOf).sort();
  return { shown: named(given.keys()), differing: named(differing), covers, given, own };
}

/**
 * Shows the files, and nothing else at all the paths that are covered, whatever programs have put there.
 * `commitAll` leaves them as the worktree's own commit has them, unless they are changed until then.
 */
export async function applyOverlay(
  mirror: Mirror,
  dir: string,
  { covers, given, own }: Overlay,
): Promise<AppliedOverlay> {
  const place = await placeOf(mirror, dir);
  await removeOthers(place.worktree, { covers, given });
  const placed = new Map<string, IndexEntry>();
  for (const [path, entry] of given)
    if (await isFolder(place.worktree, covers(path)?.folder ?? '')) placed.set(path, entry);
  const scratch = { ...place, index: join(dirname(place.index), 'overlay') };
  await runExclusive(scratch.index, () => checkOut(scratch, placed));
  const differing = union(placed, own).filter((path) => !isSameEntry(placed.get(path), own.get(path)));
  const taken = await asTaken(place, { scratch, paths: differing.filter((path) => placed.has(path)) });
  const covered = differing.map(
    (path) =>
      [path, { given: (placed.has(path) && taken.get(path)) || null, own: own.get(path) ?? null }] as const,
  );
  return { covered: new Map(covered) };
}

/** Puts the commit's own files back into an index that was filled from the worktree. */
export async function restoreCovered(place: IndexPlace, { covered }: AppliedOverlay): Promise<void> {
  if (covered.size === 0) return;
  const now = await entriesOfIndex(place);
  const unchanged = [...covered].filter(([path, { given }]) => isSameEntry(now.get(path), given));
  const removed = new Set(unchanged.map(([path]) => path));
  const kept = new Set([...now.keys()].filter((path) => !removed.has(path)));
  const folders = foldersOf(kept);
  await writeEntries(
    place,
    unchanged.map(([path, { own }]) => {
      // A file that has come into being where the commit has a folder, or the other way round, stays.
      const hasPlace = !folders.has(path) && !above(path).some((folder) => kept.has(folder));
      return [path, hasPlace ? own : null] as const;
    }),
  );
}

/** Our own index of a worktree, which neither the worktree's Git directory nor its `.git` can change. */
export async function placeOf(mirror: Mirror, dir: string): Promise<IndexPlace> {
  const { index } = await readWorktreeRecord(mirror.dir, dir);
  return { mirrorDir: mirror.dir, worktree: resolve(dir), index };
}

async function checkOut(scratch: IndexPlace, placed: Entries): Promise<void> {
  await rm(scratch.index, { force: true });
  if (placed.size === 0) return;
  await writeEntries(scratch, placed);
  await overFiles('Git cannot write the files of the default branch', () => checkOutAll(scratch));
}

/** What Git makes of files when it takes them, which need not be what it made them from. */
async function asTaken(
  place: IndexPlace,
  { scratch, paths }: { readonly scratch: IndexPlace; readonly paths: readonly string[] },
): Promise<Entries> {
  if (paths.length === 0) return new Map();
  await copyFile(place.index, scratch.index);
  await overFiles('Git cannot take the files of the default branch', () => takeFiles(scratch, paths));
  const taken = await entriesOfIndex(scratch);
  await rm(scratch.index, { force: true });
  return taken;
}

type Kept = Pick<Overlay, 'covers' | 'given'>;

/** Removes every file at a path that is covered, also where Git ignores it; links are not followed. */
async function removeOthers(worktree: string, kept: Kept): Promise<void> {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesIn(worktree, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === '.git') continue;
      if (isOther(path, entry, kept)) await removeFrom(worktree, path);
      else if (entry.isDirectory()) folders.push(path);
    }
  }
}

function isOther(path: string, entry: Dirent, { covers, given }: Kept): boolean {
  const cover = covers(path);
  if (cover === undefined) return false;
  if (cover.hidden === 'link') return entry.isSymbolicLink();
  return cover.hidden === 'all' || (!entry.isDirectory() && !given.has(path));
}

/** Set-up may have left folders that nobody can remove, such as ones that may not be written to. */
async function removeFrom(worktree: string, path: string): Promise<void> {
  await rm(pathIn(worktree, path), { recursive: true, force: true }).catch((cause: unknown) => {
    throw new WorktreeUnusable(`cannot remove ${textOf(path).slice(0, 200)}: ${codeOf(cause)}`, { cause });
  });
}

async function entriesIn(worktree: string, folder: string) {
  try {
    return await readdir(pathIn(worktree, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch (cause) {
    if (codeOf(cause) === 'EACCES') return []; // The agent, who is the same user, cannot read it either.
    throw new WorktreeUnusable(`cannot read ${textOf(folder).slice(0, 200)}: ${codeOf(cause)}`, { cause });
  }
}

/** Whether it is there, as a folder all the way down. */
async function isFolder(worktree: string, folder: string): Promise<boolean> {
  for (const path of folder === '' ? [] : [...above(folder), folder]) {
    const found = await lstat(pathIn(worktree, path)).catch(() => undefined); // it is gone
    if (found?.isDirectory() !== true) return false;
  }
  return true;
}

function pathIn(worktree: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${worktree}/`), bytesOf(path)]);
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const found = new Set(['']);
  for (const path of paths)
    for (let folder = folderOf(path); !found.has(folder); folder = folderOf(folder)) found.add(folder);
  return found;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** The folders above a path, from the top. */
function above(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function union(one: Entries, other: Entries): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])];
}

interface Wanted {
  readonly rev: string;
  readonly wanted: Entries;
  /** Whether the file at a path is shown as the revision has it. */
  readonly covers: (path: string) => boolean;
}

/** Each takes Git a moment. */
const maxLinks = 100;

/**
 * Files of a revision without symbolic links to what another branch may have changed: instead of such a link
 * there is the file that it leads to at the revision, or nothing if it leads to none there.
 */
async function withoutLinks(mirrorDir: string, { wanted, ...rest }: Wanted): Promise<Entries> {
  const found = new Map([...wanted].filter(([, { mode }]) => mode === '100644' || mode === '100755'));
  const links = [...wanted].filter(([, { mode }]) => mode === '120000').slice(0, maxLinks);
  for (const [path, link] of links) {
    const entry = await insteadOf(mirrorDir, { wanted, ...rest }, [path, link]);
    if (entry !== undefined) found.set(path, entry);
  }
  return found;
}

async function insteadOf(
  mirrorDir: string,
  { rev, wanted, covers }: Wanted,
  [path, link]: readonly [string, IndexEntry],
): Promise<IndexEntry | undefined> {
  const input = bytesOf(`${rev}:${path}\0`);
  const command = ['cat-file', '--batch-check', '--follow-symlinks', '-z'];
  const [oid = '', type] = (await git(command, { ...inside(mirrorDir), input })).split(' ');
  const written = await gitBytes(['cat-file', 'blob', link.oid], inside(mirrorDir));
  const target = targetOf(path, written.toString('latin1'));
  if (type !== 'blob') {
    // Throws if it is there, but damaged.
    if (target !== undefined) await sizesOf(mirrorDir, [`${rev}:${target}`]);
    return undefined;
  }
  // It leads to a file that is shown as the revision has it, and whoever works there may want to edit that.
  const isShown = target !== undefined && covers(target) && wanted.get(target)?.oid === oid;
  return isShown ? link : { mode: '100644', oid };
}

/** The path in the repository that a link in it leads to; undefined if it leads out of it. */
function targetOf(path: string, link: string): string | undefined {
  if (link.startsWith('/')) return undefined;
  const parts = path.split('/').slice(0, -1);
  for (const part of link.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
