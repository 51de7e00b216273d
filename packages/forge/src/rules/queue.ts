import type { Context } from '../context.ts';
import type { Issue, MergeGroup, MergeQueueRule, PullIssue, QueueEntry, Repository } from '../model.ts';
import { rulesOn } from './applied.ts';

/** The rule that gives a branch a merge queue; undefined if it has none. */
export function queueRuleOn(
  context: Context,
  repository: Repository,
  branch: string,
): MergeQueueRule | undefined {
  const rules = rulesOn(context, repository, `refs/heads/${branch}`).map(({ rule }) => rule);
  return rules.find((rule) => rule.type === 'merge_queue');
}

/** The ways to merge of a queue, as everybody else calls them. */
export const queueMethods = { MERGE: 'merge', SQUASH: 'squash', REBASE: 'rebase' } as const;

/** The entries of a branch's queue, in their order. */
export function queueOf({ store }: Context, { id }: Repository, branch: string): QueueEntry[] {
  return store.data.queue_entries.filter((one) => one.repository_id === id && one.base_ref === branch);
}

/** The entry of a pull request in the queue of its base. */
export function entryOf({ store }: Context, issue: Issue): QueueEntry | undefined {
  return store.data.queue_entries.find(({ issue_id }) => issue_id === issue.id);
}

export function pullOf({ store }: Context, { repository_id, issue_id }: QueueEntry): PullIssue {
  const pull = store.pulls(store.repository(repository_id)).find(({ id }) => id === issue_id);
  if (pull === undefined) throw new Error(`the forge has no pull request with the id ${issue_id}`);
  return pull;
}

/** The group that tests an entry; undefined while it waits to be built. */
export function groupOf({ store }: Context, entry: QueueEntry): MergeGroup | undefined {
  return store.data.merge_groups.find(({ entry_id }) => entry_id === entry.id);
}

/** Where the branches of merge groups are; only GitHub writes there. */
const groups = 'refs/heads/gh-readonly-queue/';

/** GitHub's message if a merge queue forbids everybody to change a branch. */
export function queueViolation(context: Context, repository: Repository, ref: string): string | undefined {
  if (ref.startsWith(groups)) return 'Cannot update this protected ref.';
  const isQueued = context.store
    .pulls(repository)
    .some((issue) => `refs/heads/${issue.pull.head_ref}` === ref && entryOf(context, issue) !== undefined);
  return isQueued ? queuedHead : undefined;
}

const queuedHead =
  'A pull request for this branch has been added to a merge queue. Branches that are queued for merging' +
  ' cannot be updated. To modify this branch, dequeue the associated pull request.';
