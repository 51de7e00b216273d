import { git, gitBytes } from './git.ts';
import type { IndexEntry } from './index-entries.ts';
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
