import type { PullIssue, Review, ReviewComment, ReviewState } from '../model.ts';
import { nodeId } from '../payloads/links.ts';
import { reviewsOf } from '../payloads/pulls.ts';
import { commentFields, linkIn } from './comments.ts';
import { connection, type PageArguments } from './connection.ts';
import type { Viewer } from './viewer.ts';

export interface ReviewArguments extends PageArguments {
  author?: string | null;
  states?: ReviewState[] | null;
}

/** The reviews of a pull request, oldest first, without the pending ones of others. */
export function reviewConnection(
  viewer: Viewer,
  issue: PullIssue,
  { author, states, ...page }: ReviewArguments,
) {
  const { context } = viewer;
  const found = reviewsOf(context, issue)
    .filter((review) => isVisible(viewer, review))
    .filter(({ user_id }) => !author || context.store.account(user_id).login === author)
    .filter(({ state }) => !states || states.includes(state));
  return connection(
    'reviews',
    found.map((review) => reviewNode(viewer, review)),
    page,
  );
}

/** Only its author sees a pending review. */
export function isVisible({ actor }: Viewer, { state, user_id }: Review): boolean {
  const own = (actor.kind === 'user' || actor.kind === 'installation') && actor.account.id === user_id;
  return own || state !== 'PENDING';
}

export function reviewNode(viewer: Viewer, review: Review) {
  const id = nodeId('PullRequestReview', review.id);
  const updated_at = review.edits.at(-1)?.edited_at ?? review.submitted_at ?? review.created_at;
  const written = { ...review, id, databaseId: review.id, author_id: review.user_id, updated_at };
  return {
    __typename: 'PullRequestReview',
    ...commentFields(viewer, written),
    state: review.state,
    commit: commitNode(review.commit_id),
    submittedAt: review.submitted_at,
    comments: (page: PageArguments) => diffCommentConnection(viewer, review, page),
    url: linkIn(viewer, review, `/pull/${review.pull_number}#pullrequestreview-${review.id}`),
  };
}

export function reviewCommentNode(viewer: Viewer, review: Review, comment: ReviewComment) {
  const id = nodeId('PullRequestReviewComment', comment.id);
  const updated_at = comment.edits.at(-1)?.edited_at ?? comment.created_at;
  const written = { ...comment, id, databaseId: comment.id, author_id: review.user_id, updated_at };
  return {
    __typename: 'PullRequestReviewComment',
    ...commentFields(viewer, written),
    path: comment.path,
    line: comment.line,
    pullRequestReview: () => reviewNode(viewer, review),
    replyTo: () => firstOfThread(viewer, comment),
    url: linkIn(viewer, review, `/pull/${review.pull_number}#discussion_r${comment.id}`),
  };
}

function diffCommentConnection(viewer: Viewer, review: Review, page: PageArguments) {
  const nodes = review.comments.map((comment) => reviewCommentNode(viewer, review, comment));
  return connection('comments', nodes, page);
}

/** The comment that a reply answers; null if it was deleted, and for a comment that is no reply. */
function firstOfThread(viewer: Viewer, { in_reply_to_id }: ReviewComment): object | null {
  for (const review of viewer.context.store.data.reviews) {
    const first = review.comments.find(({ id }) => id === in_reply_to_id);
    if (first) return reviewCommentNode(viewer, review, first);
  }
  return null;
}

export function commitNode(sha: string) {
  return { __typename: 'Commit', id: nodeId('Commit', sha), oid: sha };
}
