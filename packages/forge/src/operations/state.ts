import { type Context, timestamp } from '../context.ts';
import type { Issue } from '../model.ts';
import { isPull } from '../store.ts';
import { disableAutoMerge } from './auto-merge.ts';
import { recordIssueEvent } from './issue-events.ts';
import { emitIssueEvent } from './issues.ts';

/** Closes or reopens the issue, if it is not in that state already. */
export async function setState(
  context: Context,
  issue: Issue,
  {
    state,
    reason,
    sender_id,
  }: { state: 'open' | 'closed'; reason?: Issue['state_reason']; sender_id: number },
): Promise<void> {
  if (issue.state === state) return;
  if (state === 'closed' && isPull(issue))
    await disableAutoMerge(context, issue, { sender_id, why: 'closed' });
  issue.state = state;
  issue.updated_at = timestamp(context);
  issue.closed_at = state === 'closed' ? issue.updated_at : null;
  issue.closed_by_id = state === 'closed' ? sender_id : null;
  issue.state_reason = isPull(issue) ? null : state === 'closed' ? (reason ?? 'completed') : 'reopened';
  const action = state === 'closed' ? 'closed' : 'reopened';
  const state_reason = state === 'closed' ? issue.state_reason : null;
  recordIssueEvent(context, issue, { event: action, state_reason, actor_id: sender_id });
  await emitIssueEvent(context, issue, { action, sender_id });
}
