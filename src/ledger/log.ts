import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, type Remote } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { maxPackBytes } from './directory.ts';

/** A ledger as `git log` lists it. */
export interface LedgerLog {
  readonly ref: string;
  /** The subjects of its commits, oldest first. */
  readonly subjects: readonly string[];
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
  if (existsSync(join(dir, 'shallow'))) await fetchHistory({ dir, remote, ref });
  const format = ['-z', '--reverse', '--format=%s', `--max-count=${maxSubjects}`, '--no-show-signature'];
  const [listing, count] = await Promise.all([
    git(['log', ...format, commit, '--'], inside(dir)),
    git(['rev-list', '--count', commit, '--'], inside(dir)),
  ]);
  const subjects = listing.split('\0').slice(0, Math.min(Number(count), maxSubjects));
  return { ref, subjects, omitted: Number(count) - subjects.length };
}

/** What is read otherwise is only the newest commit. */
async function fetchHistory({ dir, remote, ref }: Place): Promise<void> {
  const command = ['fetch', '--quiet', '--unshallow', '--no-tags', '--no-write-fetch-head', remote.url];
  await git([...command, `+${ref}:${ref}`], { ...inside(dir), remote, maxFileBytes: maxPackBytes });
}
