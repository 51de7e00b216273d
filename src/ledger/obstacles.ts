import type { Remote } from '../git/git.ts';
import type { PushRefusal } from '../git/push-refusal.ts';
import { listRemote, pushRefs } from '../git/remote.ts';

/** Where the refs of one run are, and a repository to push from. */
interface Way {
  readonly dir: string;
  readonly remote: Remote;
  readonly number: number;
  /** Called with what an operator should know. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** What servers say if a ref cannot be created because it would be a folder of another, or in one. */
const conflict =
  /exists; cannot create|cannot (?:lock|create)|file conflict|refname conflict|still refs under/i;

/**
 * Removes refs that are in the way of this run's, if a push may have failed because of one: Git cannot have
 * both `open/7` and `open/7/x`, and anyone with write access can push the other one. Returns whether it has.
 */
export async function clearWay(way: Way, { message }: Pick<PushRefusal, 'message'>): Promise<boolean> {
  if (!conflict.test(message)) return false;
  const { dir, remote, number } = way;
  const parents = ['open', 'closed', 'broken', 'kept', `kept/${number}`];
  const children = [
    ...[`open/${number}/*`, `closed/${number}/*`],
    // What was set aside or held is named after its commit, which whoever wrote it knows.
    ...[`broken/${number}-*/*`, `kept/${number}/*/*`],
  ];
  const found = await listRemote(
    remote,
    [...parents, ...children].map((path) => `refs/coxswain/${path}`),
  );
  // Patterns match the end of a name, too.
  const inTheWay = [...found].filter(([ref]) => ref.startsWith('refs/coxswain/'));
  if (inTheWay.length === 0) return false;
  const removals = inTheWay.map(([ref, from]) => ({ ref, from, to: null }));
  const { landed } = await pushRefs({ dir, remote }, removals);
  const names = inTheWay.map(([ref]) => ref).join(', ');
  if (landed) way.onNotice?.(`removed ${names}, in the way of the ledger of #${number}`);
  return landed;
}
