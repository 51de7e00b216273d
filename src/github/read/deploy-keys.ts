import type { Octokit } from '../octokit/connect.ts';
import { unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** The titles of the deploy keys that may push; undefined if GitHub does not show the keys. */
export async function writingDeployKeys(
  octokit: Octokit,
  where: RepositoryRef,
): Promise<readonly string[] | undefined> {
  const keys = await unlessForbidden(
    octokit.paginate(octokit.rest.repos.listDeployKeys, { ...repoParams(where), per_page: 100 }),
  );
  return keys?.filter(({ read_only }) => !read_only).map(({ title }) => title);
}
