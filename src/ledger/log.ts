import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, type Remote } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { maxPackBytes } from './directory.ts';

/** A ledger as `git log` lists it. */
export interface LedgerLog {
  readonly ref: string;
  /** Its commits, oldest first, each with the time of its event. */
  readonly commits: readonly { readonly at: string; readonly subject: string }[];
  /** How many older ones are left out. */
  readonly omitted: number;
}

interface Place {
  readonly dir: string;
  readonly remote: Remote;
  readonly ref: string;
}

const maxSubjects = 500;

/** Reads the log of a ledger whose newest commit is there, and first fetches the others if they are not. */
export async function readLog({ dir, remote, ref }: Place, commit: string): Promise<LedgerLog> {
  await fetchHistory({ dir, remote, ref });
  const format = ['-z', '--reverse', '--format=%cI %s', `--max-count=${maxSubjects}`, '--no-show-signature'];
  const [listing, count] = await Promise.all([
    git(['log', ...format, commit, '--'], inside(dir)),
    git(['rev-list', '--count', commit, '--'], inside(dir)),
  ]);
  const lines = listing.split('\0').slice(0, Math.min(Number(count), maxSubjects));
  const commits = lines.map((line) => {
    const end = line.indexOf(' ');
    return { at: line.slice(0, end), subject: line.slice(end + 1) };
  });
  return { ref, commits, omitted: Number(count) - commits.length };
}

/** What is read otherwise is only the newest commit; `depth` is how many older ones are needed, by default all. */
export async function fetchHistory({ dir, remote, ref }: Place, depth?: number): Promise<void> {
  if (!existsSync(join(dir, 'shallow'))) return;
  // From what is there, and not from the tip, which others may have moved since.
  const extent = depth === undefined ? '--unshallow' : `--deepen=${depth}`;
  const command = ['fetch', '--quiet', extent, '--no-tags', '--no-write-fetch-head', remote.url];
  await git([...command, `+${ref}:${ref}`], { ...inside(dir), remote, maxFileBytes: maxPackBytes });
}
