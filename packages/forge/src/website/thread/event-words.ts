import type { Context } from '../../context.ts';
import type { IssueEvent } from '../../model.ts';
import { commitLink, html, labelTag, person, type Value } from '../html.ts';

/** What happened, after the name of who did it. */
export function eventWords(context: Context, event: IssueEvent, at: string): Value {
  switch (event.event) {
    case 'labeled':
      return html`added the label ${labelTag(event.label)}`;
    case 'unlabeled':
      return html`removed the label ${labelTag(event.label)}`;
    case 'renamed':
      return html`changed the title from <del>${event.rename.from}</del> to <b>${event.rename.to}</b>`;
    case 'closed':
      return event.state_reason === 'not_planned' ? 'closed this as not planned' : 'closed this';
    case 'reopened':
      return 'reopened this';
    case 'merged':
      return html`merged this by commit ${commitLink(at, event.commit_id)}`;
    case 'head_ref_force_pushed':
      return html`force-pushed from ${commitLink(at, event.before)} to ${commitLink(at, event.commit_id)} (<a href="${at}/compare/${event.before}...${event.commit_id}">compare</a>)`;
    case 'base_ref_changed':
      return html`changed the base branch from <code>${event.previous}</code> to <code>${event.current}</code>`;
    case 'auto_merge_disabled':
      return html`disabled auto-merge: ${event.reason}`;
    case 'removed_from_merge_queue':
      return event.reason === 'manual'
        ? 'removed this from the merge queue'
        : html`removed this from the merge queue: ${event.reason.replaceAll('_', ' ')}`;
    case 'review_requested':
      return html`requested a review from ${reviewer(context, event)}`;
    case 'review_request_removed':
      return html`removed the request for a review from ${reviewer(context, event)}`;
    case 'comment_deleted':
      return html`deleted a comment by ${person(context, event.author_id)}`;
    case 'review_dismissed':
      return html`dismissed a review: ${event.dismissed_review.dismissal_message}`;
    default:
      return plainWords[event.event];
  }
}

function reviewer(context: Context, of: { reviewer_id: number } | { team_id: number }): Value {
  return 'team_id' in of
    ? html`<b>${context.store.team(of.team_id).name}</b>`
    : person(context, of.reviewer_id);
}

const plainWords = {
  added_to_merge_queue: 'added this to the merge queue',
  auto_merge_enabled: 'enabled auto-merge',
  auto_squash_enabled: 'enabled auto-merge (squash)',
  auto_rebase_enabled: 'enabled auto-merge (rebase)',
  base_ref_deleted: 'deleted the base branch',
  head_ref_deleted: 'deleted the head branch',
  convert_to_draft: 'marked this pull request as a draft',
  ready_for_review: 'marked this pull request as ready for review',
} as const;
