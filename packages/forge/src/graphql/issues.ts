import type { Comment, Issue, PullIssue } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import { mergeability } from '../operations/pull-details.ts';
import { commentsOf } from '../payloads/issues.ts';
import { nodeId } from '../payloads/links.ts';
import { actorNode } from './accounts.ts';
import { commentFields, linkIn } from './comments.ts';
import { connection, type PageArguments } from './connection.ts';
import { type ReviewArguments, reviewConnection } from './reviews.ts';
import { type TimelineArguments, timelineConnection } from './timeline.ts';
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
    comments: (page: PageArguments) => commentConnection(viewer, issue, page),
    timelineItems: (wanted: TimelineArguments) => issueTimelineConnection(viewer, issue, wanted),
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
    mergeStateStatus: async () => (await mergeability(viewer.context, issue)).state.toUpperCase(),
    merged: pull.merged_at !== null,
    mergedAt: pull.merged_at,
    headRefName: pull.head_ref,
    headRefOid: pull.head_sha,
    baseRefName: pull.base_ref,
    baseRefOid: pull.base_sha,
    comments: (page: PageArguments) => commentConnection(viewer, issue, page),
    reviews: (wanted: ReviewArguments) => reviewConnection(viewer, issue, wanted),
    timelineItems: (wanted: TimelineArguments) =>
      timelineConnection(viewer, issue, { wanted, pull: () => pullNode(viewer, issue) }),
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

function commentConnection(viewer: Viewer, issue: Issue, page: PageArguments) {
  const nodes = commentsOf(viewer.context, issue).map((comment) => issueCommentNode(viewer, comment));
  return connection('comments', nodes, page);
}

/** The items of an issue's timeline, oldest first. The forge has only those about its title. */
export function issueTimelineConnection(viewer: Viewer, issue: Issue, wanted: TimelineArguments) {
  const { itemTypes, since, skip, ...page } = wanted;
  const isWanted = !itemTypes || itemTypes.includes('RENAMED_TITLE_EVENT');
  const nodes = issueEventsOf(viewer.context, issue)
    .filter(({ created_at }) => !since || Date.parse(created_at) >= Date.parse(since))
    .flatMap((event) => {
      if (event.event !== 'renamed' || !isWanted) return [];
      return [
        {
          __typename: 'RenamedTitleEvent',
          id: nodeId('IssueEvent', event.id),
          actor: actorNode(viewer.context, event.actor_id),
          createdAt: event.created_at,
          previousTitle: event.rename.from,
          currentTitle: event.rename.to,
        },
      ];
    })
    .slice(skip ?? 0);
  const shown = connection('timelineItems', nodes, page);
  const counts = { filteredCount: nodes.length, pageCount: shown.nodes.length };
  return { ...shown, ...counts, updatedAt: issue.updated_at };
}
