import type { Comment, Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { repoParams } from './repository.ts';
import { unlessGone } from './unless-gone.ts';

/** A comment of a webhook as it is now; undefined if it was deleted. */
export async function commentNow(
  octokit: Octokit,
  repository: Repository,
  comment: Comment,
): Promise<Comment | undefined> {
  const place = { ...repoParams(repository), comment_id: comment.id };
  const found = await unlessGone(() => octokit.rest.issues.getComment(place), comment.created_at);
  if (found === undefined) return undefined;
  const { body = '', updated_at } = found.data;
  if (body === comment.body && updated_at === comment.updated_at) return comment;
  return { ...comment, body, updated_at, former: null, is_own_text: false };
}
