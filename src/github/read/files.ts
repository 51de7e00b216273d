import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** A file of the default branch, in one request instead of a clone; undefined if there is none. */
export async function fileOnDefaultBranch(
  octokit: Octokit,
  where: RepositoryRef,
  path: string,
): Promise<string | undefined> {
  const file = { ...repoParams(where), path, mediaType: { format: 'raw' } };
  const found = await unless(octokit.rest.repos.getContent(file), 404);
  // Octokit's type is of the other media type; the raw one is text, and that of a folder is a list.
  return typeof found?.data === 'string' ? found.data : undefined;
}
