import { mkdir, rm } from 'node:fs/promises';
import { git } from './git.ts';
import { checkOutAll, type IndexPlace } from './index-entries.ts';
import { damaged, inside } from './objects.ts';

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
  const listing = await git(command, { ...inside(mirrorDir), env: { ...inside(mirrorDir).env, ...literal } });
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

const literal = { GIT_LITERAL_PATHSPECS: '1' };

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
  const env = { ...inside(mirrorDir).env, GIT_INDEX_FILE: place.index };
  await git(['read-tree', `${rev}:${path.replace(/\/+$/, '')}`], { ...inside(mirrorDir), env });
  await checkOutAll(place);
  await rm(place.index, { force: true });
}
