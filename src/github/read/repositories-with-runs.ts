import type { Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { firstPages } from './pagination.ts';
import { repositoryOf } from './repository-ref.ts';

/** A search returns at most 1,000 results, 100 per page. */
const maxPages = 10;

/** The repositories with pull requests that are labelled as open runs, as `owner/name`, by one search. */
export async function searchRuns(octokit: Octokit, account: string): Promise<readonly string[]> {
  const q = `is:pr is:open label:coxswain${account === '' ? '' : ` user:${account}`}`;
  const names = new Set<string>();
  for (let page = 1; page <= maxPages; page++) {
    const query = { q, per_page: 100, page, advanced_search: 'true' } as const;
    const { data } = await octokit.rest.search.issuesAndPullRequests(query);
    for (const { repository_url } of data.items) names.add(repository_url.split('/').slice(-2).join('/'));
    if (data.items.length < 100) break;
  }
  return [...names];
}

/** A thousand repositories: those of more are found by their labels only. */
const maxRepositoryPages = 10;

/** The repositories of the installation whose client this is. */
export async function allRepositories(octokit: Octokit): Promise<readonly Repository[]> {
  const route = octokit.rest.apps.listReposAccessibleToInstallation;
  const pages = octokit.paginate.iterator(route, { per_page: 100 });
  return (await firstPages(pages, maxRepositoryPages)).map(repositoryOf);
}

/** The repository with such a name. */
export async function repositoryAt(octokit: Octokit, name: string): Promise<Repository> {
  const [owner = '', repo = ''] = name.split('/');
  const { data } = await octokit.rest.repos.get({ owner, repo });
  return repositoryOf(data);
}
