import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, MissingPermission, timeIn } from '../octokit/fault.ts';
import { readPull } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

export interface MergeRequest {
  readonly number: number;
  /** Only this commit is merged; GitHub refuses if the head has moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** The body of the commit that is made; undefined for what the repository's settings say. */
  readonly message?: string | undefined;
}

/** The answer to a merge, or to the question whether it has happened. */
export interface Merged {
  /** ISO 8601, if GitHub says it. */
  readonly at: string | undefined;
  /** It had been merged before, by us or by somebody else. */
  readonly before: boolean;
}

/**
 * Merges a pull request; succeeds if it is already merged. Throws `GitHubFault` with GitHub's message if it
 * refuses.
 */
export async function mergePull(
  octokit: Octokit,
  where: RepositoryRef,
  { number, sha, method, message }: MergeRequest,
): Promise<Merged> {
  const body = message === undefined ? {} : { commit_message: message };
  const wanted = { ...repoParams(where), pull_number: number, sha, merge_method: method, ...body };
  try {
    const { headers } = await octokit.rest.pulls.merge(wanted);
    return { at: isoTimeOf(headers.date), before: false };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable || fault instanceof MissingPermission) throw fault;
    // If the answer to an earlier merge was lost, this one is refused, in one way or another.
    if (!(await readPull(octokit, where, number)).merged) throw fault;
    return { at: isoTimeOf(fault.date), before: true };
  }
}

/** GitHub's own times have whole seconds, too. */
function isoTimeOf(date: string | undefined): string | undefined {
  return timeIn(date)?.replace('.000Z', 'Z');
}
