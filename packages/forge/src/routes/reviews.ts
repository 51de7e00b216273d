import { accountOf } from '../actors.ts';
import { type Context, timestamp } from '../context.ts';
import type { Input } from '../input.ts';
import type { Json, PullIssue, Review, ReviewComment } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { rewrite } from '../operations/issues.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { pullSummary, reviewCommentPayload, reviewPayload, reviewsOf } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, HttpError, ok } from '../responses.ts';
import { page, type RepositoryRequest, type Route, routesOn } from '../router.ts';
import { requireActionsSetting } from './pulls.ts';
import { pullIn, pullRoute, requireEditAccess, thingIn } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('read', { pull_requests: 'write' });
const dismiss = needs('write', { pull_requests: 'write' });
const at = '/pulls/{pull_number}/reviews';

const reviewRoute = routesOn(reviewIn);

export const reviewRoutes: Route[] = [
  /** Only its author sees a pending review. */
  pullRoute(`GET ${at}`, read, (issue, { context, actor }) => {
    const me = accountOf(actor)?.id;
    const reviews = reviewsOf(context, issue).filter(
      (review) => review.state !== 'PENDING' || review.user_id === me,
    );
    return page(reviews, (review) => reviewPayload(context, review));
  }),
  pullRoute(`POST ${at}`, write, async (issue, request) => {
    const { context, repository, input, git } = request;
    const commit_id = input.text('commit_id') ?? issue.pull.head_sha;
    if ((await git.commit(commit_id)) !== commit_id) {
      throw unprocessable('Commit is not part of the pull request');
    }
    const event = input.oneOf('event', ['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);
    const review: Review = {
      id: context.store.id(),
      repository_id: repository.id,
      pull_number: issue.number,
      user_id: request.sender_id,
      body: input.text('body') ?? '',
      edits: [],
      state: event ? stateAfter[event] : 'PENDING',
      commit_id,
      created_at: timestamp(context),
      submitted_at: event ? timestamp(context) : null,
      comments: (input.objects('comments') ?? []).map((comment) => commentFrom(context, comment)),
    };
    if (event) requireSubmittable(request, issue, review);
    context.store.data.reviews.push(review);
    if (event) await submitted(request, issue, review);
    return reviewResponse(review, request);
  }),
  reviewRoute(`GET ${at}/{review_id}`, read, reviewResponse),
  reviewRoute(`PUT ${at}/{review_id}`, write, (review, request) => {
    const { context, input, sender_id } = request;
    requireEditAccess(request, review.user_id);
    const changes = { body: { from: review.body } };
    const body = input.requiredText('body');
    rewrite(context, review, body, sender_id);
    emitReviewEvent(request, review, 'edited', { changes });
    return reviewResponse(review, request);
  }),
  reviewRoute(`GET ${at}/{review_id}/comments`, read, (review, { context }) => {
    return page(review.comments, (comment) => reviewCommentPayload(context, review, comment));
  }),
  reviewRoute(`PUT ${at}/{review_id}/dismissals`, dismiss, (review, request) => {
    const dismissal_message = request.input.requiredText('message');
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
      throw unprocessable('Can not dismiss a review that neither approves nor requests changes');
    }
    const dismissed_review = { state: review.state.toLowerCase(), review_id: review.id, dismissal_message };
    recordIssueEvent(request, pullIn(request), { event: 'review_dismissed', dismissed_review });
    review.state = 'DISMISSED';
    emitReviewEvent(request, review, 'dismissed');
    return reviewResponse(review, request);
  }),
];

const stateAfter = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;

function commentFrom(context: Context, comment: Input): ReviewComment {
  return {
    id: context.store.id(),
    path: comment.requiredText('path'),
    body: comment.requiredText('body'),
    edits: [],
    line: comment.integer('line') ?? null,
    start_line: comment.integer('start_line') ?? null,
    side: comment.oneOf('side', ['LEFT', 'RIGHT']) ?? 'RIGHT',
    position: comment.integer('position') ?? comment.integer('line') ?? 1,
    created_at: timestamp(context),
  };
}

function requireSubmittable(
  request: RepositoryRequest,
  issue: PullIssue,
  { state, user_id, body, comments }: Review,
): void {
  const own = user_id === issue.user_id;
  if (own && state === 'APPROVED') throw unprocessable('Can not approve your own pull request');
  if (own && state === 'CHANGES_REQUESTED')
    throw unprocessable('Can not request changes on your own pull request');
  if (state === 'APPROVED') requireActionsSetting(request, request.actor);
  else if (body === '' && comments.length === 0) throw unprocessable('Review body or comments are required');
}

function unprocessable(message: string): HttpError {
  return new HttpError(422, 'Unprocessable Entity', { errors: [message] });
}

/** An approval may allow an auto-merge. */
async function submitted(request: RepositoryRequest, issue: PullIssue, review: Review): Promise<void> {
  const { pull } = issue;
  pull.requested_reviewer_ids = pull.requested_reviewer_ids.filter((id) => id !== review.user_id);
  emitReviewEvent(request, review, 'submitted');
  await mergeWhenReady(request.context, issue);
}

/** Emits `pull_request_review`; in webhooks the state is in lower case. */
function emitReviewEvent(request: RepositoryRequest, review: Review, action: string, more: Json = {}): void {
  const { context, repository, sender_id } = request;
  const shown = {
    ...reviewPayload(context, review),
    state: review.state.toLowerCase(),
    submitted_at: review.submitted_at,
    body: review.body === '' ? null : review.body,
  };
  const payload = { review: shown, pull_request: pullSummary(context, pullIn(request)), ...more };
  context.emit({ name: 'pull_request_review', action, repository, sender_id, payload });
}

function reviewResponse(review: Review, { context }: RepositoryRequest): ApiResponse {
  return ok(reviewPayload(context, review));
}

function reviewIn(request: RepositoryRequest): Review {
  return thingIn(request, reviewsOf(request.context, pullIn(request)), 'review_id');
}
