import type { Issue } from '../../model.ts';
import { isPull } from '../../store.ts';
import { form, labelsOn, labelTag, person, stateBadge, time } from '../components.ts';
import { type Html, html } from '../html.ts';
import { checksOn, summaryIcon } from '../merge/check-list.ts';
import { below } from '../pattern.ts';
import { type Deed, kept, type Page, type PageRoute, type RepositoryVisit } from '../visit.ts';

/** The lists of issues and of pull requests, and the form of a new issue. */
export const issueListPages: readonly PageRoute[] = [
  { pattern: below('/issues'), of: 'repository', show: async (visit) => list(visit, 'issues'), deeds: {} },
  { pattern: below('/pulls'), of: 'repository', show: async (visit) => list(visit, 'pulls'), deeds: {} },
  {
    pattern: below('/issues/new'),
    of: 'repository',
    show: async (visit) => newIssue(visit),
    deeds: { open: (visit, asked) => open(visit, asked) },
  },
];

function list(visit: RepositoryVisit, tab: 'issues' | 'pulls'): Page {
  const { context, repository } = visit;
  const wanted = visit.query.get('state') === 'closed' ? 'closed' : 'open';
  const all = context.store.issues(repository).filter((issue) => isPull(issue) === (tab === 'pulls'));
  const shown = all.filter(({ state }) => state === wanted).reverse();
  const title = tab === 'issues' ? 'Issues' : 'Pull requests';
  const count = (state: string) => all.filter((issue) => issue.state === state).length;
  const filter = (state: 'open' | 'closed', text: string) =>
    html`<a href="?state=${state}"${state === wanted && html` aria-current="true"`}>${count(state)} ${text}</a>`;
  const main = html`<div class="bar"><h1>${title}</h1>
${tab === 'issues' && html`<a class="button primary end" href="${visit.at}/issues/new">New issue</a>`}</div>
<nav class="tabs" aria-label="State">${filter('open', 'open')}${filter('closed', 'closed')}</nav>
${shown.length === 0 ? html`<p class="notice">There are none.</p>` : rows(visit, shown)}`;
  return { title, tab, main };
}

function rows(visit: RepositoryVisit, issues: Issue[]): Html {
  const { context, at } = visit;
  const items = issues.map((issue) => {
    const { number, title, user_id, created_at, pull } = issue;
    const checks = pull !== null && summaryIcon(checksOn(visit, pull.head_sha));
    const labels = labelsOn(context, issue).map((label) => html` ${labelTag(label)}`);
    return html`<li>${stateBadge(issue)} <a class="title" href="${at}/${pull === null ? 'issues' : 'pull'}/${number}">${title}</a>${checks}${labels}
<span class="below">#${number} opened ${time(created_at)} by ${person(context, user_id)}</span></li>`;
  });
  return html`<div class="card"><ul class="plain rows">${items}</ul></div>`;
}

function newIssue(visit: RepositoryVisit): Page {
  const value = (field: string) => kept(visit, 'open', field) ?? visit.query.get(field) ?? '';
  const content = html`<label>Title<input type="text" name="title" value="${value('title')}" required></label>
<label>Description<textarea name="body" rows="10">
${value('body')}</textarea></label><div class="buttons"><button class="primary">Create</button></div>`;
  const main = html`<h1>New issue</h1>${form(visit, { does: 'open', className: 'fields' }, content)}`;
  return { title: 'New issue', tab: 'issues', main };
}

const open: Deed = async (visit, { form: fields }) => {
  const made = await visit.api('POST', `/repos${visit.at}/issues`, {
    title: fields.get('title') ?? '',
    body: fields.get('body') ?? '',
  });
  // What GitHub answers when it has created an issue.
  return `${visit.at}/issues/${(made as { number: number }).number}`;
};
