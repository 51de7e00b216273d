import type { Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { repositoryOf } from './repository.ts';

/** A search returns at most 1,000 results, 100 per page. */
const maxPages = 10;

/** The repositories with open runs: one search, then one request per repository. */
export async function searchRuns(octokit: Octokit, account: string): Promise<readonly Repository[]> {
  const q = `is:pr is:open label:coxswain${account === '' ? '' : ` user:${account}`}`;
  const addresses = new Set<string>();
  for (let page = 1; page <= maxPages; page++) {
    const query = { q, per_page: 100, page, advanced_search: 'true' } as const;
    const { data } = await octokit.rest.search.issuesAndPullRequests(query);
    for (const { repository_url } of data.items) addresses.add(repository_url);
    if (data.items.length < 100) break;
  }
  return Promise.all([...addresses].map((address) => repositoryAt(octokit, address)));
}

async function repositoryAt(octokit: Octokit, address: string): Promise<Repository> {
  const [owner = '', repo = ''] = address.split('/').slice(-2);
  const { data } = await octokit.rest.repos.get({ owner, repo });
  return repositoryOf(data);
}
