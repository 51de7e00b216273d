import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** A file of the default branch, in one request instead of a clone; undefined if there is none. */
export async function fileOnDefaultBranch(
  octokit: Octokit,
  where: RepositoryRef,
  path: string,
): Promise<string | undefined> {
  try {
    const file = { ...repoParams(where), path, mediaType: { format: 'raw' } };
    const { data } = await octokit.rest.repos.getContent(file);
    // Octokit's type is of the other media type; the raw one is text, and that of a folder is a list.
    return typeof data === 'string' ? data : undefined;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}
