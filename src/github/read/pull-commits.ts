import { isOfRun } from '../check-ids.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type OwnChecks, ownRuns } from './own-checks.ts';
import { repoParams } from './repository.ts';

/** GitHub lists no more commits of a comparison. */
const maxListed = 250;

/** The line that every commit of an attempt has. */
const trailer = /^Coxswain-Run: /m;

/** The two ends of what a check is about. */
export interface BetweenCommits {
  /** A branch. */
  readonly base: string;
  /** A commit, not a branch, which could move. */
  readonly head: string;
}

/**
 * Whether a commit between base and head was ever the head of a run: one of ours, or one that has a check of
 * a run. Also true where GitHub does not list all commits. The pull request is not asked, because it may
 * have moved to another head or base since.
 */
export async function hasCommitOfRun(
  octokit: Octokit,
  place: OwnChecks,
  { base, head }: BetweenCommits,
): Promise<boolean> {
  // Without a page, GitHub lists as many commits as it lists for a pull request.
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
    ...repoParams(place.where),
    basehead: `${base}...${head}`,
  });
  const { commits, total_commits } = data;
  if (total_commits > Math.min(commits.length, maxListed)) return true;
  if (commits.some(({ commit }) => trailer.test(commit.message))) return true;
  for (const { sha } of commits.toReversed()) {
    const runs = await ownRuns(octokit, place, { head: sha });
    if (runs.some(({ external_id }) => isOfRun(external_id))) return true;
  }
  return false;
}
