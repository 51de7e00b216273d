import { listRemote } from '../../git/remote.ts';
import { openPullsAt, type PullFacts } from '../../github/read/pulls.ts';
import { ledgerRef } from '../../ledger/refs.ts';
import type { Repository } from '../repository.ts';

/**
 * The number of another pull request with this head that has a run in progress. Check runs belong to a
 * commit, so two runs on one commit would each show what the other decided.
 */
export async function otherRunAt(
  { octokit, remote, ...where }: Repository,
  { number, head_sha }: Pick<PullFacts, 'number' | 'head_sha'>,
): Promise<number | undefined> {
  const others = (await openPullsAt(octokit, where, head_sha)).filter((other) => other !== number);
  if (others.length === 0) return undefined;
  const ledgerOf = (other: number) => ledgerRef('open', other);
  const ledgers = await listRemote(remote, others.map(ledgerOf));
  return others.find((other) => ledgers.has(ledgerOf(other)));
}
