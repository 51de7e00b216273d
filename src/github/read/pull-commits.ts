import { isOfRun } from '../check-ids.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type OwnChecks, ownRuns } from './own-checks.ts';
import { repoParams } from './repository.ts';

/** GitHub lists no more commits of a pull request. */
const maxListed = 250;

/** The line that every commit of an attempt has. */
const trailer = /^Coxswain-Run: /m;

/**
 * Whether a commit between base and head was ever the head of a run: one of ours, or one that has a check of
 * a run. Also true where GitHub does not list all commits.
 */
export async function hasCommitOfRun(octokit: Octokit, place: OwnChecks): Promise<boolean> {
  const commits = await octokit.paginate(octokit.rest.pulls.listCommits, {
    ...repoParams(place.where),
    pull_number: place.number,
    per_page: 100,
  });
  if (commits.length >= maxListed) return true;
  if (commits.some(({ commit }) => trailer.test(commit.message))) return true;
  for (const { sha } of commits.toReversed()) {
    const runs = await ownRuns(octokit, place, { head: sha });
    if (runs.some(({ external_id }) => isOfRun(external_id))) return true;
  }
  return false;
}
