import { gitOf, timestamp } from '../context.ts';
import type { PullIssue, Review, ReviewComment } from '../model.ts';
import { requireMaxLength } from '../operations/issues.ts';
import {
  type DiffComment,
  editDiffComment,
  emitDiffCommentEvent,
  emitReviewEvent,
} from '../operations/reviews.ts';
import { page } from '../pagination.ts';
import { reviewCommentPayload, reviewsOf } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, noContent, notFound, ok, validationFailed } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { authorIn, numberOf, pullIn, requireEditAccess } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('read', { pull_requests: 'write' });

export const reviewCommentRoutes: Route[] = [
  repositoryRoute('GET /pulls/comments', read, (request) => {
    const { context, query } = request;
    const since = query.get('since');
    const key = query.get('sort') === 'updated' ? 'updated_at' : 'created_at';
    const comments = commentsIn(request)
      .map(({ review, comment }) => reviewCommentPayload(context, review, comment))
      .filter((one) => since === null || Date.parse(String(one['updated_at'])) >= Date.parse(since))
      .sort((a, b) => String(a[key]).localeCompare(String(b[key])) || Number(a['id']) - Number(b['id']));
    return page(request, query.get('direction') === 'desc' ? comments.reverse() : comments, (one) => one);
  }),
  repositoryRoute('GET /pulls/comments/{comment_id}', read, (request) => shown(request, commentIn(request))),
  repositoryRoute('PATCH /pulls/comments/{comment_id}', write, (request) => {
    const found = commentIn(request);
    requireEditAccess(request, found.review.user_id);
    editDiffComment(request.context, found, { body: bodyIn(request), editor_id: authorIn(request).user_id });
    return shown(request, found);
  }),
  repositoryRoute('DELETE /pulls/comments/{comment_id}', write, (request) => {
    const { review, comment } = commentIn(request);
    requireEditAccess(request, review.user_id);
    review.comments = review.comments.filter((one) => one !== comment);
    const sender_id = authorIn(request).user_id;
    emitDiffCommentEvent(request.context, { review, comment }, { action: 'deleted', sender_id });
    return noContent();
  }),
  repositoryRoute('POST /pulls/{pull_number}/comments', write, async (request) => {
    const { context, repository, input } = request;
    const answered = input.integer('in_reply_to');
    if (answered !== undefined) return answer(request, answered);
    const commit_id = input.requiredText('commit_id');
    if ((await gitOf(context, repository).commit(commit_id)) !== commit_id) {
      throw validationFailed('PullRequestReviewComment', 'commit_id is not part of the pull request');
    }
    return add(request, { commit_id, place: placeIn(request) });
  }),
  repositoryRoute('POST /pulls/{pull_number}/comments/{comment_id}/replies', write, (request) => {
    return answer(request, numberOf(request.params['comment_id']));
  }),
];

type Place = Pick<ReviewComment, 'path' | 'line' | 'start_line' | 'side' | 'position' | 'diff_hunk'>;

function placeIn({ input }: RepositoryRequest): Place {
  return {
    path: input.requiredText('path'),
    line: input.integer('line') ?? null,
    start_line: input.integer('start_line') ?? null,
    side: input.oneOf('side', ['LEFT', 'RIGHT']) ?? 'RIGHT',
    position: input.integer('position') ?? input.integer('line') ?? 1,
    diff_hunk: '',
  };
}

/** A reply stands where the first comment of its thread stands. */
function answer(request: RepositoryRequest, id: number): ApiResponse {
  const issue = pullIn(request);
  const found = commentsIn(request).find(({ comment }) => comment.id === id);
  if (found?.review.pull_number !== issue.number) throw notFound();
  const { path, line, start_line, side, position, diff_hunk } = found.comment;
  const in_reply_to_id = found.comment.in_reply_to_id ?? found.comment.id;
  const place = { path, line, start_line, side, position, diff_hunk, in_reply_to_id };
  return add(request, { commit_id: found.review.commit_id, place });
}

interface NewComment {
  commit_id: string;
  place: Place & Pick<ReviewComment, 'in_reply_to_id'>;
}

/** A comment outside a review, such as a reply, gets a review of its own. */
function add(request: RepositoryRequest, { commit_id, place }: NewComment): ApiResponse {
  const { context } = request;
  const now = timestamp(context);
  const comment = { id: context.store.id(), body: bodyIn(request), edits: [], created_at: now, ...place };
  const review = reviewOf(request, pullIn(request), { commit_id, comments: [comment] });
  context.store.data.reviews.push(review);
  emitReviewEvent(context, review, { action: 'submitted', sender_id: review.user_id });
  emitDiffCommentEvent(context, { review, comment }, { action: 'created', sender_id: review.user_id });
  return created(reviewCommentPayload(context, review, comment));
}

function reviewOf(
  request: RepositoryRequest,
  issue: PullIssue,
  { commit_id, comments }: Pick<Review, 'commit_id' | 'comments'>,
): Review {
  const now = timestamp(request.context);
  return {
    id: request.context.store.id(),
    repository_id: issue.repository_id,
    pull_number: issue.number,
    user_id: authorIn(request).user_id,
    body: '',
    edits: [],
    state: 'COMMENTED',
    commit_id,
    created_at: now,
    submitted_at: now,
    comments,
  };
}

function shown({ context }: RepositoryRequest, { review, comment }: DiffComment): ApiResponse {
  return ok(reviewCommentPayload(context, review, comment));
}

function commentIn(request: RepositoryRequest): DiffComment {
  const id = numberOf(request.params['comment_id']);
  const found = commentsIn(request).find(({ comment }) => comment.id === id);
  if (!found) throw notFound();
  return found;
}

/** Only its author sees a pending review. */
function commentsIn({ context, repository, actor }: RepositoryRequest): DiffComment[] {
  const me = actor.kind === 'user' || actor.kind === 'installation' ? actor.account.id : 0;
  return context.store
    .pulls(repository)
    .flatMap((issue) => reviewsOf(context, issue))
    .filter(({ state, user_id }) => state !== 'PENDING' || user_id === me)
    .flatMap((review) => review.comments.map((comment) => ({ review, comment })));
}

function bodyIn({ input }: RepositoryRequest): string {
  const body = input.requiredText('body');
  requireMaxLength(body);
  return body;
}
