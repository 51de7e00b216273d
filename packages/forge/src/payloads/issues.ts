import type { Context } from '../context.ts';
import type { Comment, Issue, Json, Label, PullIssue, Reaction, Repository } from '../model.ts';
import { isPull } from '../store.ts';
import { accountById, appById, association } from './accounts.ts';
import { apiLink, htmlLink, nodeId } from './links.ts';

export function labelPayload(context: Context, repository: Repository, label: Label): Json {
  const url = apiLink(context, repository, `/labels/${encodeURIComponent(label.name)}`);
  return { ...label, node_id: nodeId('Label', label.id), url, default: false };
}

export function labelsOf(context: Context, issue: Issue): Json[] {
  const repository = context.store.repository(issue.repository_id);
  return context.store.labelsOn(issue).map((label) => labelPayload(context, repository, label));
}

/** An issue, or a pull request as in the issues API. */
export function issuePayload(context: Context, issue: Issue): Json {
  const repository = context.store.repository(issue.repository_id);
  const url = apiLink(context, repository, `/issues/${issue.number}`);
  return {
    url,
    repository_url: apiLink(context, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: htmlLink(context, repository, `/${issue.pull ? 'pull' : 'issues'}/${issue.number}`),
    timeline_url: `${url}/timeline`,
    id: issue.id,
    node_id: issue.pull ? nodeId('PullRequest', issue.pull.id) : nodeId('Issue', issue.id),
    number: issue.number,
    ...contentOf(context, issue),
    author_association: association(context, repository, issue.user_id),
    reactions: reactionCounts([], url),
    performed_via_github_app: appById(context, issue.app_id),
    ...(isPull(issue) ? { draft: issue.pull.draft, pull_request: pullReference(context, issue) } : {}),
  };
}

/** The fields that issues and pull requests have in common. */
export function contentOf(context: Context, issue: Issue): Json {
  return {
    title: issue.title,
    body: issue.body,
    user: accountById(context, issue.user_id),
    labels: labelsOf(context, issue),
    state: issue.state,
    state_reason: issue.state_reason,
    locked: issue.locked !== undefined,
    active_lock_reason: issue.locked?.reason ?? null,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: commentsOf(context, issue).length,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
  };
}

export function commentPayload(context: Context, comment: Comment): Json {
  const repository = context.store.repository(comment.repository_id);
  const url = apiLink(context, repository, `/issues/comments/${comment.id}`);
  const kind = context.store.issue(repository, comment.issue_number)?.pull ? 'pull' : 'issues';
  return {
    url,
    html_url: htmlLink(context, repository, `/${kind}/${comment.issue_number}#issuecomment-${comment.id}`),
    issue_url: apiLink(context, repository, `/issues/${comment.issue_number}`),
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: accountById(context, comment.user_id),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    author_association: association(context, repository, comment.user_id),
    body: comment.body,
    reactions: reactionCounts(comment.reactions, url),
    performed_via_github_app: appById(context, comment.app_id),
  };
}

export function commentsOf(context: Context, issue: Issue): Comment[] {
  return context.store.data.comments.filter(
    (comment) => comment.repository_id === issue.repository_id && comment.issue_number === issue.number,
  );
}

function pullReference(context: Context, issue: PullIssue): Json {
  const repository = context.store.repository(issue.repository_id);
  const html = htmlLink(context, repository, `/pull/${issue.number}`);
  return {
    url: apiLink(context, repository, `/pulls/${issue.number}`),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: issue.pull.merged_at,
  };
}

export const reactionContents = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const;

export function reactionPayload(context: Context, { user_id, ...reaction }: Reaction): Json {
  const node_id = nodeId('Reaction', reaction.id);
  return { ...reaction, node_id, user: accountById(context, user_id) };
}

/** The number of reactions of each kind, as in comments and issues. */
export function reactionCounts(reactions: Reaction[], url: string): Json {
  const counts = reactionContents.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}
