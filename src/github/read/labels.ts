import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Whether a repository has a label of this name. */
export async function hasLabelNamed(octokit: Octokit, where: RepositoryRef, name: string): Promise<boolean> {
  try {
    await octokit.rest.issues.getLabel({ ...repoParams(where), name });
    return true;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return false;
    throw fault;
  }
}
