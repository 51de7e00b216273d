import { timestamp } from '../context.ts';
import type { Input } from '../input.ts';
import type { PullIssue, Review, ReviewComment, ReviewState } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { requireMaxLength } from '../operations/issues.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import {
  type DiffComment,
  editDiffComment,
  editReview,
  emitDiffCommentEvent,
  emitReviewEvent,
} from '../operations/reviews.ts';
import { reviewCommentPayload, reviewPayload, reviewsOf } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import {
  type ApiResponse,
  created,
  HttpError,
  noContent,
  notFound,
  ok,
  validationFailed,
} from '../responses.ts';
import { page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { requireActionsSetting } from './pulls.ts';
import { authorIn, numberOf, pullIn, requireEditAccess } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('read', { pull_requests: 'write' });
const at = '/pulls/{pull_number}/reviews';

export const reviewRoutes: Route[] = [
  /** Only its author sees a pending review. */
  repositoryRoute(`GET ${at}`, read, (request) => {
    const { context, actor } = request;
    const me = actor.kind === 'user' || actor.kind === 'installation' ? actor.account.id : 0;
    const reviews = reviewsOf(context, pullIn(request)).filter(
      (review) => review.state !== 'PENDING' || review.user_id === me,
    );
    return page(request, reviews, (review) => reviewPayload(context, review));
  }),
  repositoryRoute(`POST ${at}`, write, async (request) => {
    const { context, repository, input, git } = request;
    const issue = pullIn(request);
    const commit_id = input.text('commit_id') ?? issue.pull.head_sha;
    if ((await git.commit(commit_id)) !== commit_id) {
      throw new HttpError(422, 'Unprocessable Entity', {
        errors: ['Commit is not part of the pull request'],
      });
    }
    const review: Review = {
      id: context.store.id(),
      repository_id: repository.id,
      pull_number: issue.number,
      user_id: authorIn(request).user_id,
      body: input.text('body') ?? '',
      edits: [],
      state: 'PENDING',
      commit_id,
      created_at: timestamp(context),
      submitted_at: null,
      comments: (input.objects('comments') ?? []).map((comment) => commentFrom(request, comment)),
    };
    const event = input.oneOf('event', events);
    requireSubmittable(request, issue, { review, event });
    context.store.data.reviews.push(review);
    if (event) await submit(request, review, event);
    return reviewResponse(request, review);
  }),
  repositoryRoute(`GET ${at}/{review_id}`, read, (request) => reviewResponse(request, reviewIn(request))),
  repositoryRoute(`PUT ${at}/{review_id}`, write, (request) => {
    const review = reviewIn(request);
    requireEditAccess(request, review.user_id);
    const body = request.input.requiredText('body');
    editReview(request.context, review, { body, editor_id: authorIn(request).user_id });
    return reviewResponse(request, review);
  }),
  repositoryRoute(`GET ${at}/{review_id}/comments`, read, (request) =>
    comments(request, [reviewIn(request)]),
  ),
  repositoryRoute(
    `PUT ${at}/{review_id}/dismissals`,
    needs('write', { pull_requests: 'write' }),
    (request) => {
      const { context } = request;
      const review = reviewIn(request);
      const dismissal_message = request.input.requiredText('message');
      if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
        throw unprocessable('Can not dismiss a review that neither approves nor requests changes');
      }
      const actor_id = authorIn(request).user_id;
      const dismissed_review = { state: review.state.toLowerCase(), review_id: review.id, dismissal_message };
      recordIssueEvent(context, pullIn(request), { event: 'review_dismissed', dismissed_review, actor_id });
      review.state = 'DISMISSED';
      emitReviewEvent(context, review, { action: 'dismissed', sender_id: actor_id });
      return reviewResponse(request, review);
    },
  ),
  repositoryRoute('GET /pulls/{pull_number}/comments', read, (request) =>
    comments(
      request,
      reviewsOf(request.context, pullIn(request)).filter((one) => one.state !== 'PENDING'),
    ),
  ),
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
    const { input, git } = request;
    const answered = input.integer('in_reply_to');
    if (answered !== undefined) return answer(request, answered);
    const commit_id = input.requiredText('commit_id');
    if ((await git.commit(commit_id)) !== commit_id) {
      throw validationFailed('PullRequestReviewComment', 'commit_id is not part of the pull request');
    }
    return add(request, { commit_id, place: placeIn(request) });
  }),
  repositoryRoute('POST /pulls/{pull_number}/comments/{comment_id}/replies', write, (request) => {
    return answer(request, numberOf(request.params['comment_id']));
  }),
];

const events = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;
type ReviewEvent = (typeof events)[number];

const stateAfter: Record<ReviewEvent, ReviewState> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

function commentFrom({ context }: RepositoryRequest, comment: Input): ReviewComment {
  return {
    id: context.store.id(),
    path: comment.requiredText('path'),
    body: comment.requiredText('body'),
    edits: [],
    line: comment.integer('line') ?? null,
    start_line: comment.integer('start_line') ?? null,
    side: comment.oneOf('side', ['LEFT', 'RIGHT']) ?? 'RIGHT',
    position: comment.integer('position') ?? comment.integer('line') ?? 1,
    diff_hunk: '',
    created_at: timestamp(context),
  };
}

interface Submission {
  review: Review;
  event: ReviewEvent | undefined;
}

function requireSubmittable(
  request: RepositoryRequest,
  issue: PullIssue,
  { review, event }: Submission,
): void {
  const own = review.user_id === issue.user_id;
  if (own && event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES')
    throw unprocessable('Can not request changes on your own pull request');
  if (event === 'APPROVE') requireActionsSetting(request, request.actor);
  const silent = review.body === '' && review.comments.length === 0;
  if (silent && (event === 'REQUEST_CHANGES' || event === 'COMMENT')) {
    throw unprocessable('Review body or comments are required');
  }
}

function unprocessable(message: string): HttpError {
  return new HttpError(422, 'Unprocessable Entity', { errors: [message] });
}

/** An approval may allow an auto-merge. */
async function submit(request: RepositoryRequest, review: Review, event: ReviewEvent): Promise<void> {
  review.state = stateAfter[event];
  review.submitted_at = timestamp(request.context);
  const issue = pullIn(request);
  issue.pull.requested_reviewer_ids = issue.pull.requested_reviewer_ids.filter((id) => id !== review.user_id);
  emitReviewEvent(request.context, review, { action: 'submitted', sender_id: review.user_id });
  for (const comment of review.comments) {
    emitDiffCommentEvent(
      request.context,
      { review, comment },
      { action: 'created', sender_id: review.user_id },
    );
  }
  await mergeWhenReady(request.context, issue);
}

function comments(request: RepositoryRequest, reviews: Review[]): Promise<ApiResponse> {
  const all = reviews.flatMap((review) => review.comments.map((comment) => ({ review, comment })));
  return page(request, all, ({ review, comment }) => reviewCommentPayload(request.context, review, comment));
}

function reviewResponse({ context }: RepositoryRequest, review: Review): ApiResponse {
  return ok(reviewPayload(context, review));
}

function reviewIn(request: RepositoryRequest): Review {
  const id = numberOf(request.params['review_id']);
  const review = reviewsOf(request.context, pullIn(request)).find((one) => one.id === id);
  if (!review) throw notFound();
  return review;
}

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
