import type { Repository } from '../listen/heard.ts';
import type { Octokit } from '../octokit/connect.ts';
import { repositoryOf } from './repositories.ts';

/** The repositories with open pull requests that bear our label: one search, then each repository once. */
export async function searchRuns(octokit: Octokit, account: string): Promise<readonly Repository[]> {
  const scope = account === '' ? '' : ` user:${account}`;
  const q = `is:pr is:open label:coxswain${scope}`;
  const found = await octokit.paginate(octokit.rest.search.issuesAndPullRequests, {
    q,
    per_page: 100,
    advanced_search: 'true',
  });
  const addresses = new Set(found.map(({ repository_url }) => repository_url));
  return Promise.all([...addresses].map((address) => repositoryAt(octokit, address)));
}

async function repositoryAt(octokit: Octokit, address: string): Promise<Repository> {
  const [owner = '', repo = ''] = address.split('/').slice(-2);
  const { data } = await octokit.rest.repos.get({ owner, repo });
  return repositoryOf(data);
}
