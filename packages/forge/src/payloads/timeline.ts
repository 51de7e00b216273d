import type { Context } from '../context.ts';
import type { CommitRecord } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { Comment, Repository, Review } from '../model.ts';
import { accountById } from './accounts.ts';
import { gitCommitPayload } from './commits.ts';
import { commentPayload } from './issues.ts';
import { reviewPayload } from './pulls.ts';

/** A comment as in a timeline. */
export function commentedPayload(context: Context, comment: Comment): Json {
  return {
    event: 'commented',
    ...commentPayload(context, comment),
    actor: accountById(context, comment.user_id),
  };
}

/** A review as in a timeline, where its state is in lower case. */
export function reviewedPayload(context: Context, review: Review): Json {
  return { event: 'reviewed', ...reviewPayload(context, review), state: review.state.toLowerCase() };
}

export function committedPayload(context: Context, repository: Repository, commit: CommitRecord): Json {
  return { event: 'committed', ...gitCommitPayload(context, repository, commit) };
}
