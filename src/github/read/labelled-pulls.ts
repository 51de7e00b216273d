import type { Octokit } from '../octokit/connect.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** An open pull request as the list of issues tells it. */
export interface LabelledPull {
  readonly number: number;
  readonly body: string;
}

/** More runs than this at once have never been seen in one repository; the others are looked at later. */
const mostPages = 10;

/** The open pull requests of a repository that bear a label. */
export async function labelledPulls(
  octokit: Octokit,
  where: RepositoryRef,
  label: string,
): Promise<readonly LabelledPull[]> {
  const wanted = { ...repoParams(where), labels: label, state: 'open', per_page: 100 } as const;
  const found: LabelledPull[] = [];
  let pages = 0;
  for await (const { data } of octokit.paginate.iterator(octokit.rest.issues.listForRepo, wanted)) {
    const pulls = data.filter(({ pull_request }) => pull_request !== undefined);
    found.push(...pulls.map(({ number, body }) => ({ number, body: body ?? '' })));
    pages += 1;
    if (pages >= mostPages) break;
  }
  return found;
}
