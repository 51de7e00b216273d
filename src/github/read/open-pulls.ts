import type { Octokit } from '../octokit/connect.ts';
import { firstPages } from './pages.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** An open pull request, as the list of all of them contains it. */
export interface OpenPull {
  readonly number: number;
  /** ISO 8601. */
  readonly updated_at: string;
  /** Undefined if the account no longer exists. */
  readonly author: string | undefined;
  readonly labels: readonly string[];
  readonly head_ref: string;
}

/** A limit for one sweep: the newest 1,000 pull requests. */
const maxPages = 10;

/** The open pull requests of a repository, newest first. */
export async function openPulls(octokit: Octokit, where: RepositoryRef): Promise<readonly OpenPull[]> {
  const wanted = { ...repoParams(where), state: 'open', per_page: 100 } as const;
  const pages = octokit.paginate.iterator(octokit.rest.pulls.list, wanted);
  const pulls = await firstPages(pages, maxPages);
  return pulls.map(({ number, updated_at, user, labels, head }) => {
    const names = labels.map(({ name }) => name);
    return { number, updated_at, author: user?.login, labels: names, head_ref: head.ref };
  });
}
