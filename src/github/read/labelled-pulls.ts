import type { Octokit } from '../octokit/connect.ts';
import { firstPages } from './pages.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** An open pull request, as the list of issues contains it. */
export interface LabelledPull {
  readonly number: number;
  /** ISO 8601. */
  readonly updated_at: string;
}

/** A limit for one sweep; it allows 1,000 open runs per repository. */
const maxPages = 10;

/** The open pull requests of a repository with a label. */
export async function labelledPulls(
  octokit: Octokit,
  where: RepositoryRef,
  label: string,
): Promise<readonly LabelledPull[]> {
  const wanted = { ...repoParams(where), labels: label, state: 'open', per_page: 100 } as const;
  const pages = octokit.paginate.iterator(octokit.rest.issues.listForRepo, wanted);
  const pulls = (await firstPages(pages, maxPages)).filter(({ pull_request }) => pull_request !== undefined);
  return pulls.map(({ number, updated_at }) => ({ number, updated_at }));
}
