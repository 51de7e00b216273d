import { type Context, timestamp } from '../context.ts';
import type { AutoMerge, PullIssue } from '../model.ts';
import { recordIssueEvent } from './issue-events.ts';
import { emitIssueEvent } from './issues.ts';

const enabledEvents = {
  merge: 'auto_merge_enabled',
  squash: 'auto_squash_enabled',
  rebase: 'auto_rebase_enabled',
} as const;

/** Enables auto-merge: the pull request is merged on behalf of this account as soon as rules allow it. */
export async function enableAutoMerge(context: Context, issue: PullIssue, auto: AutoMerge): Promise<void> {
  issue.pull.auto_merge = auto;
  issue.updated_at = timestamp(context);
  const { enabled_by_id: sender_id, merge_method } = auto;
  recordIssueEvent(context, issue, { event: enabledEvents[merge_method], actor_id: sender_id });
  await emitIssueEvent(context, issue, { action: 'auto_merge_enabled', sender_id });
}

/** What switches auto-merge off; GitHub's words for it are similar. */
const reasons = {
  base: 'Base branch was changed by a user without write access',
  closed: 'Pull request was closed',
  draft: 'Pull request was converted to draft',
  manually_disabled: 'Manually disabled by user',
};

/** Disables auto-merge. A new head or base alone does not: GitHub trusts whoever may write. */
export async function disableAutoMerge(
  context: Context,
  issue: PullIssue,
  { sender_id, why }: { sender_id: number; why: keyof typeof reasons },
): Promise<void> {
  if (issue.pull.auto_merge === null) return;
  issue.pull.auto_merge = null;
  issue.updated_at = timestamp(context);
  const reason = reasons[why];
  recordIssueEvent(context, issue, {
    event: 'auto_merge_disabled',
    reason,
    reason_code: why,
    actor_id: sender_id,
  });
  await emitIssueEvent(context, issue, { action: 'auto_merge_disabled', sender_id, more: { reason } });
}
