import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitBytes } from './git.ts';
import { damaged, inside, literalPaths } from './objects.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** A file as Git keeps it. */
export interface IndexEntry {
  /** It is octal, such as 100644, or 120000 for a symbolic link. */
  readonly mode: string;
  readonly oid: string;
}

/** By path, of which each character is one byte: paths need not be text. */
export type Entries = ReadonlyMap<string, IndexEntry>;

/** What Git is run with to work on an index of ours. */
export interface IndexPlace {
  readonly mirrorDir: string;
  readonly worktree: string;
  readonly index: string;
}

export function environmentOf({ mirrorDir, worktree, index }: IndexPlace) {
  return {
    cwd: worktree,
    env: { ...inside(mirrorDir).env, GIT_WORK_TREE: worktree, GIT_INDEX_FILE: index },
  };
}

export async function entriesOfIndex(place: IndexPlace): Promise<Entries> {
  const output = await gitBytes(['ls-files', '-z', '--stage'], environmentOf(place));
  return parsed(output, ([mode = '', oid = '']) => ({ mode, oid }));
}

export async function entriesOfCommit(mirrorDir: string, rev: string): Promise<Entries> {
  const output = await gitBytes(['ls-tree', '-r', '-z', '--full-tree', rev], inside(mirrorDir));
  return parsed(output, ([mode = '', , oid = '']) => ({ mode, oid }));
}

/** Writes entries into an index without looking at files; null removes one. */
export async function writeEntries(
  place: IndexPlace,
  entries: Iterable<readonly [path: string, entry: IndexEntry | null]>,
): Promise<void> {
  const [removed, added] = [[] as string[], [] as string[]];
  for (const [path, entry] of entries) {
    if (entry === null) removed.push(`0 ${'0'.repeat(40)}\t${path}\0`);
    else added.push(`${entry.mode} ${entry.oid}\t${path}\0`);
  }
  // A file can take the place of a folder only once that is gone.
  const input = bytesOf([...removed, ...added].join(''));
  await git(['update-index', '-z', '--index-info'], { ...environmentOf(place), input });
}

/** Takes the files at these paths into an index as they are now, as `git add` would. */
export async function takeFiles(place: IndexPlace, paths: readonly string[]): Promise<void> {
  const input = bytesOf(paths.map((path) => `${path}\0`).join(''));
  const command = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  await git(command, { ...environmentOf(place), input });
}

/** Writes every file of an index, over whatever is in its place. */
export async function checkOutAll(place: IndexPlace): Promise<void> {
  await git(['checkout-index', '--all', '--force', '--quiet'], environmentOf(place));
}

export function isSameEntry(
  one: IndexEntry | null | undefined,
  other: IndexEntry | null | undefined,
): boolean {
  return one?.mode === other?.mode && one?.oid === other?.oid;
}

/** A path, of which each character is one byte, as the file system takes it. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** The same path as people read it. */
export function textOf(path: string): string {
  return bytesOf(path).toString('utf8');
}

function parsed(output: Buffer, entryFrom: (fields: readonly string[]) => IndexEntry): Entries {
  const records = output.toString('latin1').split('\0').slice(0, -1);
  return new Map(
    records.map((record) => {
      const tab = record.indexOf('\t');
      return [record.slice(tab + 1), entryFrom(record.slice(0, tab).split(' '))];
    }),
  );
}

/** What there is at a path of a revision. */
export type Found =
  | { readonly kind: 'file'; readonly bytes: number }
  | { readonly kind: 'folder'; readonly files: readonly FoundFile[] }
  /** Nothing, a symbolic link, or another repository. */
  | { readonly kind: 'none' };

interface FoundFile {
  /** From the folder. */
  readonly path: string;
  readonly bytes: number;
  /** Neither a symbolic link nor another repository. */
  readonly isPlain: boolean;
}

/** Looks at a path of a revision, without its contents. */
export async function findAt(mirrorDir: string, rev: string, path: string): Promise<Found> {
  const name = path.replace(/\/+$/, '');
  const command = ['ls-tree', '-r', '-l', '-z', '--full-tree', rev, '--', name];
  const listing = await git(command, inside(mirrorDir, literalPaths));
  const files = listing
    .split('\0')
    .slice(0, -1)
    .map((record) => fileFrom(record, mirrorDir));
  const [only] = files;
  if (only === undefined) return { kind: 'none' };
  if (only.path === name) return only.isPlain ? { kind: 'file', bytes: only.bytes } : { kind: 'none' };
  return {
    kind: 'folder',
    files: files.map((file) => ({ ...file, path: file.path.slice(name.length + 1) })),
  };
}

function fileFrom(record: string, mirrorDir: string): FoundFile {
  const tab = record.indexOf('\t');
  const [mode = '', , oid = '', size = ''] = record.slice(0, tab).split(/ +/);
  if (size === 'BAD') throw damaged(mirrorDir, oid);
  return { path: record.slice(tab + 1), bytes: Number(size) || 0, isPlain: mode.startsWith('100') };
}

/** Writes the files of a folder of a revision into a new folder. */
export async function exportFolder(
  mirrorDir: string,
  { rev, path, to }: { readonly rev: string; readonly path: string; readonly to: string },
): Promise<void> {
  const place: IndexPlace = { mirrorDir, worktree: to, index: `${to}.index` };
  await mkdir(to, { recursive: true });
  const options = inside(mirrorDir, { GIT_INDEX_FILE: place.index });
  await git(['read-tree', `${rev}:${path.replace(/\/+$/, '')}`], options);
  await checkOutAll(place);
  await rm(place.index, { force: true });
}

/**
 * Whether files are generated, as far as a commit says so to GitHub: by `linguist-generated` in its
 * `.gitattributes`.
 */
export function generatedFiles(
  gitDir: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  // Without files, Git reads attributes only from an index; reading them from a commit takes Git 2.43.
  return inTemporaryFolder('attributes', async (folder) => {
    const options = inside(gitDir, { GIT_INDEX_FILE: join(folder, 'index') });
    await git(['read-tree', '--end-of-options', commit], options);
    const input = paths.map((path) => `${path}\0`).join('');
    const command = ['check-attr', '--cached', '-z', '--stdin', 'linguist-generated'];
    const fields = (await git(command, { ...options, input })).split('\0');
    return new Map(
      paths.flatMap((path, index) => {
        const value = fields[index * 3 + 2] ?? 'unspecified';
        return value === 'unspecified' ? [] : [[path, value === 'set' || value === 'true'] as const];
      }),
    );
  });
}
