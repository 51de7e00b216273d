import { type Sender, timestamp } from '../context.ts';
import type { PullIssue, QueueEntry } from '../model.ts';
import { entryOf } from '../rules/queue.ts';
import { recordIssueEvent } from './issue-events.ts';
import { emitIssueEvent } from './issues.ts';

/** Why a pull request leaves the queue: as in webhooks, and as GraphQL has it. */
const removalReasons = {
  ALREADY_MERGED: 'already_merged',
  BRANCH_PROTECTIONS: 'branch_protections',
  CI_FAILURE: 'failed_checks',
  CI_TIMEOUT: 'checks_timed_out',
  MANUAL: 'manual',
  MERGE: 'merged',
  MERGE_CONFLICT: 'merge_conflict',
  QUEUE_CLEARED: 'queue_cleared',
} as const;

export type RemovalReason = keyof typeof removalReasons;

/** Adds a pull request to the merge queue of its base, which takes the place of auto-merge. */
export async function enqueue(sender: Sender, issue: PullIssue, { jump = false } = {}): Promise<QueueEntry> {
  const { context, sender_id: enqueuer_id } = sender;
  const { base_ref, head_sha } = issue.pull;
  const entry: QueueEntry = {
    id: context.store.id(),
    repository_id: issue.repository_id,
    issue_id: issue.id,
    ...{ base_ref, head_sha, enqueuer_id, jump },
    created_at: timestamp(context),
  };
  const { queue_entries: all } = context.store.data;
  if (jump) all.unshift(entry);
  else all.push(entry);
  issue.pull.auto_merge = null;
  issue.updated_at = timestamp(context);
  recordIssueEvent(sender, issue, { event: 'added_to_merge_queue' });
  await emitIssueEvent(sender, issue, 'enqueued');
  return entry;
}

/**
 * Removes a pull request from its queue; false if somebody else was faster. Its group is left to the queue.
 */
export async function dequeue(sender: Sender, issue: PullIssue, reason: RemovalReason): Promise<boolean> {
  const { store } = sender.context;
  const entry = entryOf(sender.context, issue);
  if (entry === undefined) return false;
  store.data.queue_entries = store.data.queue_entries.filter((one) => one !== entry);
  await tellRemoval(sender, issue, reason);
  return true;
}

/** The event and the webhook of an entry that is gone. */
export async function tellRemoval(sender: Sender, issue: PullIssue, reason: RemovalReason): Promise<void> {
  issue.updated_at = timestamp(sender.context);
  const before = issue.pull.head_sha;
  recordIssueEvent(sender, issue, {
    event: 'removed_from_merge_queue',
    reason: removalReasons[reason],
    before,
  });
  await emitIssueEvent(sender, issue, 'dequeued', { reason });
}
