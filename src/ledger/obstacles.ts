import type { Remote } from '../git/git.ts';
import { listRemote, pushRefs } from '../git/remote.ts';

/** Where the refs of one run are, and a repository to push from. */
interface Way {
  readonly dir: string;
  readonly remote: Remote;
  readonly number: number;
}

/** What servers say if a ref cannot be created because it would be a folder of another, or in one. */
const conflict =
  /exists; cannot create|cannot (?:lock|create)|file conflict|refname conflict|still refs under/i;

/** Whether a push may have failed because of a ref that is in the way. */
export function mayBeObstructed(message: string): boolean {
  return conflict.test(message);
}

/**
 * Removes refs that are in the way of this run's: Git cannot have both `open/7` and `open/7/x`, and anyone
 * with write access can push the other one. Returns the names of those that it removed.
 */
export async function clearWay({ dir, remote, number }: Way): Promise<readonly string[]> {
  const parents = ['open', 'closed', 'broken', 'kept', `kept/${number}`];
  const children = [`open/${number}/*`, `closed/${number}/*`];
  const found = await listRemote(
    remote,
    [...parents, ...children].map((path) => `refs/coxswain/${path}`),
  );
  // Patterns match the end of a name, too.
  const inTheWay = [...found].filter(([ref]) => ref.startsWith('refs/coxswain/'));
  if (inTheWay.length === 0) return [];
  const removals = inTheWay.map(([ref, from]) => ({ ref, from, to: null }));
  const removed = await pushRefs({ dir, remote }, removals);
  return removed.landed ? inTheWay.map(([ref]) => ref) : [];
}
