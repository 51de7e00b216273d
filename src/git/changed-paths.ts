import type { FileChange } from '../steering/shapes/attempt-result.ts';
import { git, gitBytes } from './git.ts';
import type { IndexEntry } from './git-index.ts';
import { inside } from './objects.ts';

interface Range {
  readonly from: string;
  readonly to: string;
  /** What this branch already has is nobody's change here, also if it was merged. */
  readonly base: string;
}

/**
 * The files that differ between two commits because of what was done on the branch, in order; a renamed file
 * counts with both names. `gitDir` is a mirror.
 */
export async function changedPaths(gitDir: string, { from, to, base }: Range): Promise<readonly string[]> {
  const names = ['--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const [differing, touched] = await Promise.all([
    git(['diff-tree', '-r', ...names, from, to, '--'], inside(gitDir)),
    git(
      ['log', '--format=', '--diff-merges=combined', ...names, `${from}..${to}`, `^${base}`, '--'],
      inside(gitDir),
    ),
  ]);
  const own = new Set(pathsIn(touched));
  return pathsIn(differing).filter((path) => own.has(path));
}

/** What Git lists with `-z`. */
export function pathsIn(listing: string): readonly string[] {
  return listing.split('\0').filter((path) => path !== '');
}

/**
 * The files that differ since `head` branched off `base`, in order; a renamed file counts with both names. `gitDir`
 * is a mirror.
 */
export async function branchPaths(
  gitDir: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<readonly string[]> {
  const options = ['--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', '-z'];
  const range = `${base}...${head}`;
  const listing = await git(['diff', ...options, '--end-of-options', range, '--'], inside(gitDir));
  return pathsIn(listing);
}

/** A file as it is in two commits; null where there is none. */
interface Difference {
  readonly before: IndexEntry | null;
  readonly after: IndexEntry | null;
}

/** By path, of which each character is one byte. */
export type Differences = ReadonlyMap<string, Difference>;

/** Every file that differs between two commits; a renamed one counts with both names. */
export async function differingEntries(gitDir: string, from: string, to: string): Promise<Differences> {
  const command = ['diff-tree', '-r', '--raw', '--no-renames', '--no-ext-diff', '--no-abbrev', '-z'];
  const output = await gitBytes([...command, from, to, '--'], inside(gitDir));
  const fields = output.toString('latin1').split('\0').slice(0, -1);
  const found = new Map<string, Difference>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = '', mode = '', oidBefore = '', oid = ''] = fields[at]?.slice(1).split(' ') ?? [];
    const path = fields[at + 1] ?? '';
    found.set(path, { before: entryOf(modeBefore, oidBefore), after: entryOf(mode, oid) });
  }
  return found;
}

function entryOf(mode: string, oid: string): IndexEntry | null {
  return /^0+$/.test(mode) ? null : { mode, oid };
}

/** The end of a comparison: exactly these files, or all without any. */
export function onlyThese(paths: readonly string[]): readonly string[] {
  return ['--', ...paths.map((path) => `:(top,literal)${path}`)];
}

/** One changed file, in the order in which Git prints the patches. */
export interface Entry {
  readonly change: FileChange;
  /** Git prints a change of type (file to symbolic link) as two patches: a deletion and an addition. */
  readonly patches: 1 | 2;
}

/** Options of every comparison: detects renames, runs none of the repository's programs. */
export const comparing: readonly string[] = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--submodule=short',
  '--ignore-submodules=none',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--diff-algorithm=myers',
  '--unified=3',
];

/**
 * `base...head`: the changes of `head` since it branched off `base`; `from..to`: what differs between two
 * commits. With paths, only of these files.
 */
export async function entriesBetween(
  gitDir: string,
  range: string,
  paths: readonly string[] = [],
): Promise<readonly Entry[]> {
  const listing = await git(
    [...comparing, '--raw', '--numstat', '-z', '--end-of-options', range, ...onlyThese(paths)],
    inside(gitDir),
  );
  // Taken from the end: with each one taken from the front of 100,000, all others would move.
  const fields = listing.split('\0').reverse();
  const raw = rawFields(fields);
  return raw.map((entry) => {
    const counts = countsIn(fields);
    return { change: changeOf(entry, counts), patches: entry.letter === 'T' ? 2 : 1 };
  });
}

interface Raw {
  readonly letter: string;
  readonly path: string;
  readonly previous: string | undefined;
}

/**
 * Takes the raw fields off the end: `:<modes and ids> <letter><score>`, path, and a rename's new path.
 */
function rawFields(fields: string[]): readonly Raw[] {
  const found: Raw[] = [];
  while (fields.at(-1)?.startsWith(':')) {
    const letter = fields.pop()?.split(' ').at(-1)?.[0] ?? '';
    const first = fields.pop() ?? '';
    const second = letter === 'R' || letter === 'C' ? fields.pop() : undefined;
    found.push({ letter, path: second ?? first, previous: second === undefined ? undefined : first });
  }
  return found;
}

/** Numstat fields: `<added>\t<deleted>\t<path>`; for a rename the path is empty and both paths follow. */
function countsIn(fields: string[]) {
  const [added = '', deleted = '', path = ''] = fields.pop()?.split('\t') ?? [];
  if (path === '') fields.splice(-2);
  return { additions: Number(added) || 0, deletions: Number(deleted) || 0, binary: added === '-' };
}

function changeOf(raw: Raw, { additions, deletions, binary }: ReturnType<typeof countsIn>): FileChange {
  return {
    path: raw.path,
    ...(raw.previous !== undefined && { previous_path: raw.previous }),
    status: statusOf(raw.letter),
    additions,
    deletions,
    ...(binary && { binary: true as const }),
  };
}

function statusOf(letter: string): FileChange['status'] {
  if (letter === 'A' || letter === 'C') return 'added';
  if (letter === 'D') return 'deleted';
  return letter === 'R' ? 'renamed' : 'modified';
}
