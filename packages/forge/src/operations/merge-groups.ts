import { addAccount } from '../apps.ts';
import { type Context, gitOf, type Pusher, timestamp } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { MergeGroup, MergeQueueRule, QueueEntry } from '../model.ts';
import { simpleCommitPayload } from '../payloads/commits.ts';
import { HttpError } from '../responses.ts';
import { pullOf, queueMethods } from '../rules/queue.ts';
import { mergeCommit } from './merging.ts';
import { refsChanged } from './pushes.ts';

/** GitHub's own account, which does what a merge queue does. */
function queueBot(context: Context): number {
  const login = 'github-merge-queue[bot]';
  return (context.store.accountNamed(login) ?? addAccount(context, login, 'Bot')).id;
}

interface Wanted {
  entry: QueueEntry;
  base: string;
  method: MergeQueueRule['parameters']['merge_method'];
}

/** Merges an entry onto a base in a branch of its own and requests checks of that; false if they conflict. */
export async function buildGroup(context: Context, { entry, base, method }: Wanted): Promise<boolean> {
  const issue = pullOf(context, entry);
  const { repository_id, base_ref, enqueuer_id } = entry;
  const words = { title: undefined, message: undefined, sha: undefined };
  const merge = { method: queueMethods[method], base, sender_id: enqueuer_id, ...words };
  const head = await mergeCommit(context, issue, merge).catch((error: unknown) => {
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  if (head === undefined) return false;
  const group: MergeGroup = {
    id: context.store.id(),
    ...{ repository_id, entry_id: entry.id, base_ref, base_sha: base, head_sha: head },
    ref: `refs/heads/gh-readonly-queue/${base_ref}/pr-${issue.number}-${base}`,
    created_at: timestamp(context),
  };
  context.store.data.merge_groups.push(group);
  await gitOf(context, issue).run(['update-ref', group.ref, head]);
  await refsChanged(pusherOf(context, group), [{ ref: group.ref, before: zeroSha, after: head }]);
  await tellGroup(context, group, { action: 'checks_requested', cause_id: enqueuer_id });
  return true;
}

/** Deletes a group and its branch. */
export async function destroyGroup(
  context: Context,
  group: MergeGroup,
  reason: 'merged' | 'invalidated' | 'dequeued',
): Promise<void> {
  const { data } = context.store;
  data.merge_groups = data.merge_groups.filter((one) => one !== group);
  await tellGroup(context, group, { action: 'destroyed', reason });
  await gitOf(context, group).run(['update-ref', '-d', group.ref]);
  await refsChanged(pusherOf(context, group), [{ ref: group.ref, before: group.head_sha, after: zeroSha }]);
}

export function pusherOf(context: Context, { repository_id }: { repository_id: number }): Pusher {
  return { context, repository: context.store.repository(repository_id), sender_id: queueBot(context) };
}

interface Told {
  action: string;
  reason?: string;
  cause_id?: number;
}

async function tellGroup(context: Context, group: MergeGroup, told: Told): Promise<void> {
  const { repository, sender_id } = pusherOf(context, group);
  const { action, reason, cause_id = sender_id } = told;
  const { head_sha, ref: head_ref, base_sha, base_ref } = group;
  const head_commit = simpleCommitPayload(await readCommit(gitOf(context, group), head_sha));
  const merge_group = { head_sha, head_ref, base_sha, base_ref: `refs/heads/${base_ref}`, head_commit };
  const payload = { ...(reason && { reason }), merge_group };
  context.emit({ name: 'merge_group', action, repository, sender_id, cause_id, payload });
}
