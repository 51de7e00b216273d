import { onlyMergesBase } from '../git/merges.ts';
import {
  type BranchHistory,
  type BranchMove,
  pushersIn,
  readBranchHistory,
} from '../github/read/branch-history.ts';
import { commitAuthors } from '../github/read/commit-authors.ts';
import type { PullFacts } from '../github/read/pulls.ts';
import type { Contributors } from '../steering/shapes/people.ts';
import type { Repository } from './repository.ts';

/** The pull request whose branch people may have worked on. */
interface WorkedOn extends Pick<PullFacts, 'number' | 'head_ref' | 'head_sha' | 'base_ref'> {
  /** Whether it has commits from before the run, whose authors count as well. */
  readonly adopted: boolean;
}

/** GitHub has not listed the newest push yet; thrown for a minute after it, no longer. */
export class HistoryLags extends Error {
  override name = 'HistoryLags';
}

/** The moves of the branch of a pull request. */
export function historyOf(
  repository: Repository,
  { head_ref: branch, head_sha: head }: Pick<WorkedOn, 'head_ref' | 'head_sha'>,
): Promise<BranchHistory> {
  return readBranchHistory(repository.octokit, repository, { branch, head });
}

/**
 * The people who worked on the branch of a run, as GitHub names them now: everyone who ever pushed to it, and
 * on an adopted one everyone who wrote its commits. The ledger is not asked: it can be lost or forged.
 */
export async function contributorsIn(
  repository: Repository,
  pull: WorkedOn,
  history: BranchHistory,
): Promise<Contributors> {
  const moves = await ownMoves(repository, pull, history);
  const pushers = pushersIn({ ...history, moves }, repository.own);
  if (!pull.adopted) return pushers;
  const authors = await commitAuthors(repository.octokit, repository, pull.number);
  const people = [...pushers.people, ...authors.people];
  return { people, complete: pushers.complete && authors.complete };
}

/** Without those by which people only brought the branch up to date with its base. */
async function ownMoves(
  repository: Repository,
  { base_ref }: WorkedOn,
  { moves }: BranchHistory,
): Promise<readonly BranchMove[]> {
  if (moves.every(({ by }) => by === null || by.bot)) return moves;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const base = `refs/heads/${base_ref}`;
  const isUpdate = async ({ by, before, after }: BranchMove) =>
    by !== null && !by.bot && (await onlyMergesBase(mirror.dir, { before, after, base }));
  const updates = await Promise.all(moves.map(isUpdate));
  return moves.filter((_, index) => !updates[index]);
}
