import type { Context } from '../context.ts';
import type { IssueEvent, Json, Repository } from '../model.ts';
import { accountById, appPayload } from './accounts.ts';
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

/** The properties that the type of the event adds; REST does not tell the names of bases. */
function propertiesOf(context: Context, event: IssueEvent): Json {
  switch (event.event) {
    case 'labeled':
    case 'unlabeled':
      return { label: event.label };
    case 'renamed':
      return { rename: event.rename };
    case 'closed':
    case 'reopened':
      return { state_reason: event.state_reason };
    case 'review_requested':
    case 'review_request_removed':
      return {
        review_requester: accountById(context, event.actor_id),
        requested_reviewer: accountById(context, event.reviewer_id),
      };
    case 'review_dismissed':
      return { dismissed_review: event.dismissed_review };
    case 'comment_deleted':
    case 'merged':
    case 'head_ref_force_pushed':
    case 'auto_merge_enabled':
    case 'auto_squash_enabled':
    case 'auto_rebase_enabled':
    case 'auto_merge_disabled':
    case 'base_ref_changed':
    case 'base_ref_deleted':
    case 'head_ref_deleted':
    case 'convert_to_draft':
    case 'ready_for_review':
      return {};
  }
}
