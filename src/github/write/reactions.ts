import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';

/** The reactions we use: received, accepted, refused. */
export interface Reaction {
  readonly comment_id: number;
  readonly content: 'eyes' | 'rocket' | 'confused';
}

/**
 * Reacts to a comment on an issue or a pull request; false if the comment no longer exists. GitHub keeps one
 * reaction of each kind per account, so repeating it changes nothing. Throws `GitHubFault`.
 */
export async function react(
  octokit: Octokit,
  repository: RepositoryRef,
  reaction: Reaction,
): Promise<boolean> {
  try {
    await octokit.rest.reactions.createForIssueComment({ ...repoParams(repository), ...reaction });
    return true;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return false;
    throw fault;
  }
}
