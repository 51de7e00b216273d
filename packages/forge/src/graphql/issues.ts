import type { Comment, Issue, PullIssue, Review, ReviewComment } from '../model.ts';
import { htmlLink, nodeId } from '../payloads/links.ts';
import { actorNode } from './accounts.ts';
import { commentFields } from './comments.ts';
import type { Viewer } from './viewer.ts';

export function issueNode(viewer: Viewer, issue: Issue) {
  const id = nodeId('Issue', issue.id);
  return {
    __typename: 'Issue',
    ...commentFields(viewer, { ...issue, id, databaseId: issue.id, author_id: issue.user_id }),
    number: issue.number,
    title: issue.title,
    closed: issue.state === 'closed',
    state: issue.state.toUpperCase(),
    url: linkIn(viewer, issue, `/issues/${issue.number}`),
  };
}

export function pullNode(viewer: Viewer, issue: PullIssue) {
  const { pull } = issue;
  const id = nodeId('PullRequest', pull.id);
  return {
    __typename: 'PullRequest',
    ...commentFields(viewer, { ...issue, id, databaseId: pull.id, author_id: issue.user_id }),
    number: issue.number,
    title: issue.title,
    closed: issue.state === 'closed',
    state: pull.merged_at === null ? issue.state.toUpperCase() : 'MERGED',
    url: linkIn(viewer, issue, `/pull/${issue.number}`),
    isDraft: pull.draft,
    merged: pull.merged_at !== null,
    mergedAt: pull.merged_at,
    headRefName: pull.head_ref,
    headRefOid: pull.head_sha,
    baseRefName: pull.base_ref,
    autoMergeRequest: autoMergeNode(viewer, issue),
  };
}

function autoMergeNode({ context }: Viewer, { pull }: PullIssue) {
  const auto = pull.auto_merge;
  if (auto === null) return null;
  return {
    commitBody: auto.commit_message,
    commitHeadline: auto.commit_title,
    enabledBy: actorNode(context, auto.enabled_by_id),
    mergeMethod: auto.merge_method.toUpperCase(),
  };
}

export function issueCommentNode(viewer: Viewer, comment: Comment) {
  const id = nodeId('IssueComment', comment.id);
  const { repository_id, issue_number } = comment;
  const issue = viewer.context.store.issue(viewer.context.store.repository(repository_id), issue_number);
  const kind = issue?.pull ? 'pull' : 'issues';
  return {
    __typename: 'IssueComment',
    ...commentFields(viewer, { ...comment, id, databaseId: comment.id, author_id: comment.user_id }),
    url: linkIn(viewer, comment, `/${kind}/${issue_number}#issuecomment-${comment.id}`),
  };
}

export function reviewNode(viewer: Viewer, review: Review) {
  const id = nodeId('PullRequestReview', review.id);
  const updated_at = review.edits.at(-1)?.edited_at ?? review.submitted_at ?? review.created_at;
  const written = { ...review, id, databaseId: review.id, author_id: review.user_id, updated_at };
  return {
    __typename: 'PullRequestReview',
    ...commentFields(viewer, written),
    state: review.state,
    submittedAt: review.submitted_at,
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
    url: linkIn(viewer, review, `/pull/${review.pull_number}#discussion_r${comment.id}`),
  };
}

function linkIn({ context }: Viewer, { repository_id }: { repository_id: number }, path: string): string {
  return htmlLink(context, context.store.repository(repository_id), path);
}
