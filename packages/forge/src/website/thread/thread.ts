import type { Issue } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { isPull } from '../../store.ts';
import { form, stateBadge } from '../components.ts';
import { type Html, html, type Value } from '../html.ts';
import { type Deed, kept, type RepositoryVisit } from '../visit.ts';
import { card, editor } from './card.ts';
import { comment } from './comment-box.ts';
import { commentDeeds } from './comments.ts';
import { labelDeeds } from './labels.ts';
import { react, reactionBar } from './reactions.ts';

/** Authors and those with write access may change title and text. */
function mayEdit({ actor, role }: RepositoryVisit, issue: Issue): boolean {
  return issue.user_id === actor.account.id || atLeast(role, 'write');
}

/** The title with its number and state; those who may can change it. */
export function titleLine(visit: RepositoryVisit, issue: Issue, byline: Value): Html {
  const typed = kept(visit, 'rename', 'title');
  const content = html`<label>Title<input type="text" name="title" value="${typed ?? issue.title}" required></label><div class="buttons"><button class="primary">Save</button></div>`;
  const rename = html`<details class="edit" id="rename"${typed !== undefined && html` open`}><summary>Edit title</summary>${form(visit, { does: 'rename', className: 'fields' }, content)}</details>`;
  return html`<h1>${issue.title} <span class="muted">#${issue.number}</span></h1>
<div class="title-line">${stateBadge(issue)} <span>${byline}</span> ${mayEdit(visit, issue) && rename}</div>`;
}

/** The text with which the issue was opened. */
export function openingCard(visit: RepositoryVisit, issue: Issue): Html {
  return card(visit, {
    id: `issue-${issue.id}`,
    author_id: issue.user_id,
    at: issue.created_at,
    body: issue.body,
    isEdited: issue.edits.length > 0,
    verb: isPull(issue) ? 'opened this pull request' : 'opened this issue',
    none: 'No description provided.',
    foot: [
      reactionBar(visit, { reactions: issue.reactions }),
      mayEdit(visit, issue) && editor(visit, { does: 'edit', body: issue.body }),
    ],
  });
}

const change =
  (field: 'title' | 'body'): Deed =>
  async (visit, { params, form: fields }) => {
    const number = Number(params['number']);
    const kind = visit.context.store.issue(visit.repository, number)?.pull ? 'pulls' : 'issues';
    await visit.api('PATCH', `/repos${visit.at}/${kind}/${number}`, { [field]: fields.get(field) ?? '' });
    return visit.path;
  };

/** What can be done on the page of an issue as well as on that of a pull request. */
export const threadDeeds: Readonly<Record<string, Deed>> = {
  comment,
  react,
  rename: change('title'),
  edit: change('body'),
  ...labelDeeds,
  ...commentDeeds,
};
