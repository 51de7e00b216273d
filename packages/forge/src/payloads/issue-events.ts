import type { Context } from '../context.ts';
import type { IssueEvent, Json, Repository } from '../model.ts';
import { accountById, appPayload, teamPayload } from './accounts.ts';
import { apiLink, nodeId } from './links.ts';

export function issueEventPayload(context: Context, repository: Repository, event: IssueEvent): Json {
  const commit_id = 'commit_id' in event ? event.commit_id : null;
  const app = context.store.data.apps.find(({ bot_id }) => bot_id === event.actor_id);
  return {
    id: event.id,
    node_id: nodeId('IssueEvent', event.id),
    url: apiLink(context, repository, `/issues/events/${event.id}`),
    actor: accountById(context, event.actor_id),
    event: event.event,
    commit_id,
    commit_url: commit_id && apiLink(context, repository, `/commits/${commit_id}`),
    created_at: event.created_at,
    performed_via_github_app: app ? appPayload(context, app) : null,
    ...propertiesOf(context, event),
  };
}

/** What the forge knows of an event as REST tells it; it does not tell the names of bases, for example. */
const told = ['label', 'rename', 'state_reason', 'dismissed_review'];

/** The properties that the type of the event adds. */
function propertiesOf(context: Context, event: IssueEvent): Json {
  const own = Object.entries(event).filter(([name]) => told.includes(name));
  if (event.event !== 'review_requested' && event.event !== 'review_request_removed')
    return Object.fromEntries(own);
  const review_requester = accountById(context, event.actor_id);
  return 'team_id' in event
    ? { review_requester, requested_team: teamPayload(context, context.store.team(event.team_id)) }
    : { review_requester, requested_reviewer: accountById(context, event.reviewer_id) };
}
