import { git, gitBytes } from './git.ts';
import { inside } from './objects.ts';

/** A file as Git keeps it. */
export interface IndexEntry {
  /** In octal, such as 100644, or 120000 for a symbolic link. */
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

/** Everything in an index. */
export async function entriesOfIndex(place: IndexPlace): Promise<Entries> {
  const output = await gitBytes(['ls-files', '-z', '--stage'], environmentOf(place));
  return parsed(output, ([mode = '', oid = '']) => ({ mode, oid }));
}

/** Every file of a commit. */
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

/** The same for people. */
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
