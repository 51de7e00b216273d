import type { Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { repositoryOf } from './repository.ts';

/** A search returns at most 1,000 results, 100 per page. */
const maxPages = 10;

/** The API addresses of the repositories with open runs, by one search. */
export async function searchRuns(octokit: Octokit, account: string): Promise<readonly string[]> {
  const q = `is:pr is:open label:coxswain${account === '' ? '' : ` user:${account}`}`;
  const addresses = new Set<string>();
  for (let page = 1; page <= maxPages; page++) {
    const query = { q, per_page: 100, page, advanced_search: 'true' } as const;
    const { data } = await octokit.rest.search.issuesAndPullRequests(query);
    for (const { repository_url } of data.items) addresses.add(repository_url);
    if (data.items.length < 100) break;
  }
  return [...addresses];
}

/** The repository at such an address. */
export async function repositoryAt(octokit: Octokit, address: string): Promise<Repository> {
  const [owner = '', repo = ''] = address.split('/').slice(-2);
  const { data } = await octokit.rest.repos.get({ owner, repo });
  return repositoryOf(data);
}
