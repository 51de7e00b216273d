import type { GraphQLResolveInfo } from 'graphql';
import type { QueueEntry, Repository } from '../model.ts';
import { verdictOn } from '../operations/merge-queue.ts';
import { encodedPath, htmlLink, nodeId } from '../payloads/links.ts';
import { groupOf, pullOf, queueOf, queueRuleOn } from '../rules/queue.ts';
import { commitNode } from './commits.ts';
import { actorNode, connection, nodeFrom, type PageArguments } from './fields.ts';
import type { Viewer } from './viewer.ts';

/** The merge queue of a branch; null if it has none. */
export function queueNode(viewer: Viewer, repository: Repository, branch: string) {
  const { context } = viewer;
  const rule = queueRuleOn(context, repository, branch);
  if (rule === undefined) return null;
  const { parameters } = rule;
  return {
    __typename: 'MergeQueue',
    id: nodeId('MergeQueue', `${repository.id}/${branch}`),
    url: htmlLink(context, repository, `/queue/${encodedPath(branch)}`),
    configuration: {
      checkResponseTimeout: parameters.check_response_timeout_minutes,
      maximumEntriesToBuild: parameters.max_entries_to_build,
      maximumEntriesToMerge: parameters.max_entries_to_merge,
      mergeMethod: parameters.merge_method,
      mergingStrategy: parameters.grouping_strategy,
      minimumEntriesToMerge: parameters.min_entries_to_merge,
      minimumEntriesToMergeWaitTime: parameters.min_entries_to_merge_wait_minutes,
    },
    entries: (page: PageArguments) =>
      connection(queueOf(context, repository, branch), page, (entry) => entryNode(viewer, entry)),
  };
}

const states = {
  passing: 'MERGEABLE',
  failing: 'UNMERGEABLE',
  late: 'UNMERGEABLE',
  pending: 'AWAITING_CHECKS',
} as const;

/** An entry as it is now; who has removed it sees it as it was. */
export function entryNode(viewer: Viewer, entry: QueueEntry) {
  const { context } = viewer;
  const repository = context.store.repository(entry.repository_id);
  const group = groupOf(context, entry);
  const rule = queueRuleOn(context, repository, entry.base_ref);
  const position = queueOf(context, repository, entry.base_ref).indexOf(entry) + 1;
  return {
    __typename: 'MergeQueueEntry',
    id: nodeId('MergeQueueEntry', entry.id),
    baseCommit: group ? commitNode(viewer, repository, group.base_sha) : null,
    headCommit: group ? commitNode(viewer, repository, group.head_sha) : null,
    enqueuedAt: entry.created_at,
    enqueuer: actorNode(context, entry.enqueuer_id),
    jump: entry.jump,
    solo: false,
    mergeQueue: () => queueNode(viewer, repository, entry.base_ref),
    position: Math.max(1, position),
    pullRequest: (_: object, __: Viewer, { rootValue }: GraphQLResolveInfo) =>
      nodeFrom(rootValue, nodeId('PullRequest', pullOf(context, entry).pull.id)),
    state: group && rule ? states[verdictOn(context, group, rule)] : 'QUEUED',
  };
}
