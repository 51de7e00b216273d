import { type Context, gitOf, timestamp } from '../context.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { RefChange } from '../git/refs.ts';
import type { Activity, ActivityType, Repository } from '../model.ts';

export interface BranchChange extends RefChange {
  sender_id: number;
  /** Whether the merge of a pull request moved the branch. */
  merged?: boolean | undefined;
}

/** Adds an entry to the repository's activity, which GitHub keeps only for branches. */
export async function recordActivity(
  context: Context,
  repository: Repository,
  change: BranchChange,
): Promise<void> {
  const { ref, before, after, sender_id } = change;
  if (!ref.startsWith('refs/heads/')) return;
  const activity_type = await typeOf(context, repository, change);
  context.store.data.activities.push({
    id: context.store.id(),
    repository_id: repository.id,
    ref,
    before,
    after,
    timestamp: timestamp(context),
    activity_type,
    actor_id: sender_id,
  });
}

/** The repository's activity as a client sees it, newest first. */
export function activitiesOf({ store, faults }: Context, { id }: Repository): Activity[] {
  const newestFirst = store.data.activities.filter(({ repository_id }) => repository_id === id).reverse();
  return faults.shownActivity(id, newestFirst);
}

async function typeOf(
  context: Context,
  repository: Repository,
  { before, after, merged }: BranchChange,
): Promise<ActivityType> {
  if (before === zeroSha) return 'branch_creation';
  if (after === zeroSha) return 'branch_deletion';
  if (merged) return 'pr_merge';
  return (await gitOf(context, repository).isAncestor(before, after)) ? 'push' : 'force_push';
}
