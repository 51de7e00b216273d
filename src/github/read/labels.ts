import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Whether a repository has a label of this name. */
export async function hasLabelNamed(octokit: Octokit, where: RepositoryRef, name: string): Promise<boolean> {
  const found = await unless(octokit.rest.issues.getLabel({ ...repoParams(where), name }), 404);
  return found !== undefined;
}
