import { gitBytes } from './git.ts';
import type { IndexEntry } from './index-entries.ts';
import { inside } from './objects.ts';

/** A file as it is in two commits; null where there is none. */
export interface Difference {
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
