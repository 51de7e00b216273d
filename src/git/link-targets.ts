import { git, gitBytes } from './git.ts';
import { bytesOf, type Entries, type IndexEntry } from './index-entries.ts';
import { inside } from './objects.ts';

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
export async function withoutLinks(mirrorDir: string, { wanted, ...rest }: Wanted): Promise<Entries> {
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
  if (type !== 'blob') return undefined;
  const written = await gitBytes(['cat-file', 'blob', link.oid], inside(mirrorDir));
  const target = targetOf(path, written.toString('latin1'));
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
