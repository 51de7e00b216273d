import { type Context, type Sender, timestamp } from '../context.ts';
import type { Issue, IssueEvent, IssueEventDetails } from '../model.ts';

/** Stores an event of an issue or pull request for `GET /issues/{issue_number}/events`. */
export function recordIssueEvent(
  { context, sender_id: actor_id }: Sender,
  issue: Issue,
  details: IssueEventDetails,
): void {
  const made = { id: context.store.id(), created_at: timestamp(context) };
  const event: IssueEvent = { ...made, issue_id: issue.id, actor_id, ...details };
  context.store.data.issue_events.push(event);
}

export function issueEventsOf(context: Context, issue: Issue): IssueEvent[] {
  return context.store.data.issue_events.filter(({ issue_id }) => issue_id === issue.id);
}
