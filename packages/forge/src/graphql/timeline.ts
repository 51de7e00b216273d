import type { IssueEvent, PullIssue } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import { nodeId } from '../payloads/links.ts';
import { atLeast, roleOf } from '../permissions.ts';
import { actorNode } from './accounts.ts';
import { connection, type PageArguments } from './connection.ts';
import { commitNode } from './reviews.ts';
import type { Viewer } from './viewer.ts';

export interface TimelineArguments extends PageArguments {
  itemTypes?: string[] | null;
  since?: string | null;
  skip?: number | null;
}

/** The items of a pull request's timeline, oldest first; `pull` is the pull request's own node. */
export function timelineConnection(
  viewer: Viewer,
  issue: PullIssue,
  { pull, wanted }: { pull: () => object; wanted: TimelineArguments },
) {
  const { itemTypes, since, skip, ...page } = wanted;
  const nodes = issueEventsOf(viewer.context, issue)
    .filter(({ created_at }) => !since || Date.parse(created_at) >= Date.parse(since))
    .flatMap((event) => {
      const item = itemOf(viewer, issue, event);
      if (item === undefined || (itemTypes && !itemTypes.includes(item.itemType))) return [];
      return [{ ...item.node, ...commonFields(viewer, issue, event), pullRequest: pull }];
    })
    .slice(skip ?? 0);
  const shown = connection('timelineItems', nodes, page);
  const counts = { filteredCount: nodes.length, pageCount: shown.nodes.length };
  return { ...shown, ...counts, updatedAt: issue.updated_at };
}

function commonFields(viewer: Viewer, issue: PullIssue, event: IssueEvent) {
  const { context } = viewer;
  return {
    id: nodeId('IssueEvent', event.id),
    actor: namesActor(viewer, issue, event) ? actorNode(context, event.actor_id) : null,
    createdAt: event.created_at,
  };
}

/** Who deleted a comment is shown only to people who may write. */
function namesActor(
  { context, actor }: Viewer,
  { repository_id }: PullIssue,
  { event }: IssueEvent,
): boolean {
  if (event !== 'comment_deleted' || actor.kind !== 'user') return true;
  return atLeast(roleOf(actor.account, context.store.repository(repository_id)), 'write');
}

interface Item {
  itemType: string;
  node: { __typename: string };
}

/** Undefined for types that the forge's schema does not have. */
function itemOf(viewer: Viewer, { pull }: PullIssue, event: IssueEvent): Item | undefined {
  switch (event.event) {
    case 'base_ref_changed': {
      const { id: databaseId, previous: previousRefName, current: currentRefName } = event;
      const names = { databaseId, previousRefName, currentRefName };
      return { itemType: 'BASE_REF_CHANGED_EVENT', node: { __typename: 'BaseRefChangedEvent', ...names } };
    }
    case 'automatic_base_change_succeeded': {
      const node = { oldBase: event.previous, newBase: event.current };
      const __typename = 'AutomaticBaseChangeSucceededEvent';
      return { itemType: 'AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT', node: { __typename, ...node } };
    }
    case 'base_ref_deleted': {
      const node = { __typename: 'BaseRefDeletedEvent', baseRefName: pull.base_ref };
      return { itemType: 'BASE_REF_DELETED_EVENT', node };
    }
    case 'comment_deleted': {
      const author = actorNode(viewer.context, event.author_id);
      const node = { databaseId: event.id, deletedCommentAuthor: author };
      return { itemType: 'COMMENT_DELETED_EVENT', node: { __typename: 'CommentDeletedEvent', ...node } };
    }
    case 'head_ref_force_pushed': {
      const commits = { beforeCommit: commitNode(event.before), afterCommit: commitNode(event.commit_id) };
      const node = { __typename: 'HeadRefForcePushedEvent', ...commits };
      return { itemType: 'HEAD_REF_FORCE_PUSHED_EVENT', node };
    }
    default:
      return autoMergeItem(viewer, event);
  }
}

function autoMergeItem({ context }: Viewer, event: IssueEvent): Item | undefined {
  const actor = actorNode(context, event.actor_id);
  const person = actor?.__typename === 'User' ? actor : null;
  switch (event.event) {
    case 'auto_merge_enabled':
      return { itemType: 'AUTO_MERGE_ENABLED_EVENT', node: enabledBy('AutoMergeEnabledEvent', person) };
    case 'auto_squash_enabled':
      return { itemType: 'AUTO_SQUASH_ENABLED_EVENT', node: enabledBy('AutoSquashEnabledEvent', person) };
    case 'auto_rebase_enabled':
      return { itemType: 'AUTO_REBASE_ENABLED_EVENT', node: enabledBy('AutoRebaseEnabledEvent', person) };
    case 'auto_merge_disabled': {
      const { reason, reason_code: reasonCode } = event;
      const node = { __typename: 'AutoMergeDisabledEvent', disabler: person, reason, reasonCode };
      return { itemType: 'AUTO_MERGE_DISABLED_EVENT', node };
    }
    default:
      return undefined;
  }
}

function enabledBy(__typename: string, enabler: object | null) {
  return { __typename, enabler };
}
