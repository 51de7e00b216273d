import type { PullIssue, Review, ReviewComment } from '../../model.ts';
import { encodedPath } from '../../payloads/links.ts';
import { commitLink, form, type Html, html, person, time, type Value } from '../html.ts';
import { markdown } from '../text/markdown.ts';
import { type Deed, kept, type RepositoryVisit } from '../visit.ts';
import { card } from './card.ts';

/** A submitted review with its comments on lines. */
export function reviewCard(visit: RepositoryVisit, issue: PullIssue, review: Review): Html {
  const isOld = review.commit_id !== issue.pull.head_sha;
  const commit = commitLink(visit.at, review.commit_id);
  const discussions = review.comments.map((comment) => discussion(visit, review, comment));
  return card(visit, {
    id: `pullrequestreview-${review.id}`,
    author_id: review.user_id,
    at: review.submitted_at ?? review.created_at,
    body: review.body,
    isEdited: review.edits.length > 0,
    verb: html`${verbs[review.state]} at ${commit}${isOld && ' (not the newest commit)'}`,
    below: discussions.length > 0 && html`<div class="body">${discussions}</div>`,
  });
}

const verbs: Readonly<Record<Review['state'], string>> = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed (dismissed since)',
  PENDING: 'started a review',
};

function discussion(visit: RepositoryVisit, review: Review, comment: ReviewComment): Html {
  const { id, path, line, body, created_at } = comment;
  const place = line === null ? path : `${path}:${line}`;
  const file = `${visit.at}/blob/${review.commit_id}/${encodedPath(path)}${line === null ? '' : `#L${line}`}`;
  return html`<div class="discussion" id="discussion_r${id}">
<p><a href="${file}"><code>${place}</code></a></p>
<p class="muted">${person(visit.context, review.user_id)} commented ${time(created_at)}</p>
<div class="markdown">${markdown(body, visit)}</div></div>`;
}

const choices = [
  ['COMMENT', 'Comment', 'General feedback without approval'],
  ['APPROVE', 'Approve', 'Feedback and approval of these changes'],
  ['REQUEST_CHANGES', 'Request changes', 'Feedback that must be addressed before merging'],
] as const;

/** A review of the newest commit; nobody approves their own pull request. */
export function reviewBox(visit: RepositoryVisit, issue: PullIssue): Html | false {
  if (issue.state === 'closed') return false;
  const isOwn = issue.user_id === visit.actor.account.id;
  const chosen = kept(visit, 'review', 'event') ?? 'COMMENT';
  const radios = choices.map(([event, name, words]): Value => {
    const cannot = isOwn && event !== 'COMMENT';
    return html`<label class="choice"><input type="radio" name="event" value="${event}"${event === chosen && html` checked`}${cannot && html` disabled`}><span><b>${name}</b> <span class="muted">${cannot ? 'Not for your own pull request' : words}</span></span></label>`;
  });
  const content = html`<label class="hidden" for="review-text">Review</label>
<textarea id="review-text" name="body" rows="3" placeholder="Leave a review">
${kept(visit, 'review', 'body') ?? ''}</textarea>
<fieldset><legend class="hidden">Verdict</legend>${radios}</fieldset>
<p class="muted">Of commit ${commitLink(visit.at, issue.pull.head_sha)}. Comments on single lines cannot be added here; the API accepts them.</p>
<div class="buttons"><button>Submit review</button></div>`;
  const fields = { commit_id: issue.pull.head_sha };
  const isOpen = kept(visit, 'review', 'event') !== undefined;
  return html`<details class="card" id="review"${isOpen && html` open`}><summary class="body">Review changes</summary>
<div class="body">${form(visit, { does: 'review', fields, className: 'fields' }, content)}</div></details>`;
}

const review: Deed = async (visit, { params, form: fields }) => {
  const made = await visit.api('POST', `/repos${visit.at}/pulls/${Number(params['number'])}/reviews`, {
    event: fields.get('event') ?? '',
    body: fields.get('body') ?? '',
    commit_id: fields.get('commit_id') ?? '',
  });
  // What GitHub answers when it has created a review.
  return `${visit.path}#pullrequestreview-${(made as { id: number }).id}`;
};

export const reviewDeeds = { review };
