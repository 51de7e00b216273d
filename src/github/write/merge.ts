import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { readPull } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';

export interface MergeRequest {
  readonly number: number;
  /** Only this commit is merged; GitHub refuses if the head has moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** The body of the commit that is made; undefined for what the repository's settings say. */
  readonly message?: string | undefined;
}

/**
 * Merges a pull request; succeeds if it is already merged. Throws `GitHubFault` with GitHub's message if it
 * refuses.
 */
export async function mergePull(
  octokit: Octokit,
  where: RepositoryRef,
  { number, sha, method, message }: MergeRequest,
): Promise<void> {
  const body = message === undefined ? {} : { commit_message: message };
  const wanted = { pull_number: number, sha, merge_method: method, ...body };
  try {
    await octokit.rest.pulls.merge({ ...repoParams(where), ...wanted });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 405) throw fault;
    // If the answer to an earlier merge was lost, this one is refused.
    if (!(await readPull(octokit, where, number)).merged) throw fault;
  }
}
