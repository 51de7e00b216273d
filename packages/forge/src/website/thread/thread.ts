import type { Comment, Issue, Reaction } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { isPull } from '../../store.ts';
import { form, type Html, html, labelTag, stateBadge, type Value } from '../html.ts';
import { type Deed, kept, type RepositoryVisit } from '../visit.ts';
import { card } from './card.ts';

/** The title with its number and state. */
export function titleLine(issue: Issue, byline: Value): Html {
  return html`<h1>${issue.title} <span class="muted">#${issue.number}</span></h1>
<div class="title-line">${stateBadge(issue)} <span>${byline}</span></div>`;
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
  });
}

/** The box at the end of a conversation, with which it can also be closed. */
export function commentBox(visit: RepositoryVisit, issue: Issue): Html {
  const typed = kept(visit, 'comment', 'body') ?? '';
  const content = html`<label class="hidden" for="comment-text">Comment</label>
<textarea id="comment-text" name="body" rows="5" placeholder="Leave a comment">
${typed}</textarea>
<div class="buttons"><button class="primary">Comment</button>${mayClose(visit, issue) && closeButtons(issue)}</div>`;
  return html`<section class="card" aria-labelledby="add-comment"><h2 class="head" id="add-comment">Add a comment</h2>
<div class="body">${form(visit, { does: 'comment', className: 'fields', id: 'comment-form' }, content)}</div></section>`;
}

function mayClose({ actor, role }: RepositoryVisit, { user_id, pull }: Issue): boolean {
  return user_id === actor.account.id || atLeast(role, pull === null ? 'triage' : 'write');
}

function closeButtons({ state, pull }: Issue): Html | false {
  if (pull?.merged_at) return false;
  const what = pull === null ? 'issue' : 'pull request';
  if (state === 'closed') return html`<button name="state" value="open">Reopen ${what}</button>`;
  const close = html`<button name="state" value="completed">Close ${what}</button>`;
  if (pull !== null) return close;
  return html`${close}<button name="state" value="not_planned">Close as not planned</button>`;
}

/** Comments, closes or reopens, or does both; without words and a state there is nothing to do. */
const comment: Deed = async (visit, { params, form: fields }) => {
  const number = Number(params['number']);
  const body = fields.get('body') ?? '';
  const state = fields.get('state');
  let anchor = '';
  if (body.trim() !== '' || state === null) {
    const made = await visit.api('POST', `/repos${visit.at}/issues/${number}/comments`, { body });
    // What GitHub answers when it has created a comment.
    anchor = `#issuecomment-${(made as { id: number }).id}`;
  }
  if (state !== null) await setState(visit, number, state);
  return visit.path + anchor;
};

async function setState(visit: RepositoryVisit, number: number, state: string): Promise<void> {
  const issue = visit.context.store.issue(visit.repository, number);
  const kind = issue?.pull ? 'pulls' : 'issues';
  const reason = state === 'open' || issue?.pull ? {} : { state_reason: state };
  const body = { state: state === 'open' ? 'open' : 'closed', ...reason };
  await visit.api('PATCH', `/repos${visit.at}/${kind}/${number}`, body);
}

/** The labels of an issue, and for those who may, a picker. */
export function labelSection(visit: RepositoryVisit, issue: Issue): Html {
  const labels = visit.context.store.labelsOn(issue);
  const mayLabel = atLeast(visit.role, 'triage');
  const tags = labels.map(
    (label) => html`<li>${labelTag(label)}${mayLabel && removal(visit, label.name)}</li>`,
  );
  const list = html`<ul class="plain labels">${tags}</ul>`;
  return html`<section aria-labelledby="labels"><h2 id="labels">Labels</h2>
${labels.length === 0 ? html`<p class="muted">None yet</p>` : list}
${mayLabel && picker(visit, issue)}</section>`;
}

function removal(visit: RepositoryVisit, name: string): Html {
  const content = html`<button class="plain" title="Remove ${name}"><span aria-hidden="true">×</span><span class="hidden">Remove the label ${name}</span></button>`;
  return form(visit, { does: 'unlabel', fields: { name } }, content);
}

function picker(visit: RepositoryVisit, issue: Issue): Html {
  const others = visit.repository.labels.filter(({ id }) => !issue.label_ids.includes(id));
  const choices = others.map(
    (label) =>
      html`<li>${form(visit, { does: 'label', fields: { name: label.name } }, html`<button title="Add this label">${labelTag(label)}</button>`)}</li>`,
  );
  const content = html`<label>Another label<input type="text" name="name" maxlength="50" required></label> <button>Add</button>`;
  return html`<details id="label-picker"><summary>Add a label</summary>
<ul class="plain labels">${choices}</ul>
${form(visit, { does: 'label', className: 'fields' }, content)}</details>`;
}

const label: Deed = async (visit, { params, form: fields }) => {
  const labels = [fields.get('name') ?? ''];
  await visit.api('POST', `/repos${visit.at}/issues/${Number(params['number'])}/labels`, { labels });
  return visit.path;
};

const unlabel: Deed = async (visit, { params, form: fields }) => {
  const name = encodeURIComponent(fields.get('name') ?? '');
  await visit.api('DELETE', `/repos${visit.at}/issues/${Number(params['number'])}/labels/${name}`);
  return visit.path;
};

/** A comment with its reactions. */
export function commentCard(visit: RepositoryVisit, comment: Comment): Html {
  const { id, user_id, created_at, body, edits, reactions } = comment;
  return card(visit, {
    id: `issuecomment-${id}`,
    author_id: user_id,
    at: created_at,
    body,
    isEdited: edits.length > 0,
    verb: 'commented',
    below: reactions.length > 0 && reactionBar(visit, reactions),
  });
}

const signs: Readonly<Record<string, readonly [string, string]>> = {
  '+1': ['👍', 'thumbs up'],
  '-1': ['👎', 'thumbs down'],
  laugh: ['😄', 'laugh'],
  hooray: ['🎉', 'hooray'],
  confused: ['😕', 'confused'],
  heart: ['❤️', 'heart'],
  rocket: ['🚀', 'rocket'],
  eyes: ['👀', 'eyes'],
};

/** Who has reacted, and how. */
function reactionBar({ context }: RepositoryVisit, reactions: Reaction[]): Html {
  const shown = Object.entries(signs).map(([content, [sign, name]]) => {
    const same = reactions.filter((one) => one.content === content);
    const who = same.map(({ user_id }) => context.store.account(user_id).login).join(', ');
    return (
      same.length > 0 &&
      html`<span class="tag" title="${who}"><span aria-hidden="true">${sign}</span><span class="hidden">${name}</span> ${same.length}</span>`
    );
  });
  return html`<div class="body reactions">${shown}</div>`;
}

/** What can be done on the page of an issue as well as on that of a pull request. */
export const threadDeeds: Readonly<Record<string, Deed>> = {
  comment,
  label,
  unlabel,
};
