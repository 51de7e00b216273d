import { setupBranch } from '../names.ts';
import type { Octokit } from '../octokit/connect.ts';
import { factsOf, type PullFacts } from './pulls.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** The pull requests that propose a configuration, whoever opened them, the newest first. */
export async function readSetupPulls(octokit: Octokit, where: RepositoryRef): Promise<readonly PullFacts[]> {
  const head = `${where.owner}:${setupBranch}`;
  const { data } = await octokit.rest.pulls.list({ ...repoParams(where), head, state: 'all', per_page: 100 });
  return data
    .map(factsOf)
    .filter(({ head_ref, from_fork }) => head_ref === setupBranch && !from_fork)
    .toSorted((one, other) => other.number - one.number);
}
