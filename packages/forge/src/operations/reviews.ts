import type { Context } from '../context.ts';
import type { Json, PullIssue, Review, ReviewComment } from '../model.ts';
import { pullSummary, reviewCommentPayload, reviewPayload } from '../payloads/pulls.ts';
import { isPull } from '../store.ts';
import { rewrite } from './issues.ts';

interface ReviewEvent {
  action: 'submitted' | 'dismissed' | 'edited';
  sender_id: number;
  more?: Json;
}

/** Emits `pull_request_review`; in webhooks the state is in lower case. */
export function emitReviewEvent(
  context: Context,
  review: Review,
  { action, sender_id, more = {} }: ReviewEvent,
): void {
  const repository = context.store.repository(review.repository_id);
  const shown = {
    ...reviewPayload(context, review),
    state: review.state.toLowerCase(),
    submitted_at: review.submitted_at,
    body: review.body === '' ? null : review.body,
  };
  const payload = { review: shown, pull_request: pullSummary(context, pullOf(context, review)), ...more };
  context.emit({ name: 'pull_request_review', action, repository, sender_id, payload });
}

/** A comment on the diff, which belongs to a review and has its author. */
export interface DiffComment {
  review: Review;
  comment: ReviewComment;
}

interface CommentEvent {
  action: 'created' | 'edited' | 'deleted';
  sender_id: number;
  more?: Json;
}

/** Emits `pull_request_review_comment`; in webhooks the line is null where there is none. */
export function emitDiffCommentEvent(
  context: Context,
  { review, comment }: DiffComment,
  { action, sender_id, more = {} }: CommentEvent,
): void {
  const repository = context.store.repository(review.repository_id);
  const pull_request = pullSummary(context, pullOf(context, review));
  const lines = { line: comment.line, original_line: comment.line ?? comment.position };
  const shown = { ...reviewCommentPayload(context, review, comment), ...lines };
  const payload = { comment: shown, pull_request, ...more };
  context.emit({ name: 'pull_request_review_comment', action, repository, sender_id, payload });
}

interface NewText {
  body: string;
  editor_id: number;
}

/** Changes the summary of a review; its old text stays in its history. */
export function editReview(context: Context, review: Review, { body, editor_id }: NewText): void {
  const changes = { body: { from: review.body } };
  rewrite(context, review, { body, author_id: review.user_id, editor_id });
  emitReviewEvent(context, review, { action: 'edited', sender_id: editor_id, more: { changes } });
}

/** Changes a comment on the diff; its old text stays in its history. */
export function editDiffComment(context: Context, found: DiffComment, { body, editor_id }: NewText): void {
  const { review, comment } = found;
  const changes = { body: { from: comment.body } };
  rewrite(context, comment, { body, author_id: review.user_id, editor_id });
  emitDiffCommentEvent(context, found, { action: 'edited', sender_id: editor_id, more: { changes } });
}

function pullOf({ store }: Context, { repository_id, pull_number }: Review): PullIssue {
  const issue = store.issue(store.repository(repository_id), pull_number);
  if (!issue || !isPull(issue)) throw new Error(`the forge has no pull request ${pull_number}`);
  return issue;
}
