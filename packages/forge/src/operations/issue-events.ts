import { type Context, timestamp } from '../context.ts';
import type { Issue, IssueEvent, IssueEventDetails } from '../model.ts';

/** Stores an event of an issue or pull request for `GET /issues/{issue_number}/events`. */
export function recordIssueEvent(
  context: Context,
  issue: Issue,
  { actor_id, ...details }: IssueEventDetails & { actor_id: number },
): void {
  const event: IssueEvent = {
    id: context.store.id(),
    issue_id: issue.id,
    actor_id,
    created_at: timestamp(context),
    ...details,
  };
  context.store.data.issue_events.push(event);
}

export function issueEventsOf(context: Context, issue: Issue): IssueEvent[] {
  return context.store.data.issue_events.filter(({ issue_id }) => issue_id === issue.id);
}
