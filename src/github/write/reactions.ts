import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { lastOfAll } from '../octokit/request-hooks.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

/** The reactions we use: received, accepted, refused. */
export interface Reaction {
  readonly comment_id: number;
  readonly content: 'eyes' | 'rocket' | 'confused';
  /** It comes after all other writes. */
  readonly last?: boolean | undefined;
}

/**
 * Reacts to a comment on an issue or a pull request; false if the comment no longer exists. GitHub keeps one
 * reaction of each kind per account, so repeating it changes nothing. Throws `GitHubFault`.
 */
export async function react(
  octokit: Octokit,
  repository: RepositoryRef,
  { comment_id, content, last = false }: Reaction,
): Promise<boolean> {
  const reaction = { ...repoParams(repository), comment_id, content, ...(last && lastOfAll) };
  return (await unless(octokit.rest.reactions.createForIssueComment(reaction), 404)) !== undefined;
}
