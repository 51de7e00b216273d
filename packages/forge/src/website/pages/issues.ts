import { seeOther } from '../../../../../src/html/response.ts';
import type { Issue } from '../../model.ts';
import { notFound } from '../../responses.ts';
import { isPull } from '../../store.ts';
import { form, type Html, html, labelTag, person, stateBadge, time } from '../html.ts';
import { checksOn, summaryIcon } from '../merge/check-list.ts';
import { commentBox, labelSection, openingCard, threadDeeds, titleLine } from '../thread/thread.ts';
import { timeline } from '../thread/timeline.ts';
import {
  type Asked,
  kept,
  type Page,
  type PageRoute,
  type Params,
  page,
  type RepositoryVisit,
  type Shown,
} from '../visit.ts';

/** Issues with their conversations, the lists of issues and of pull requests, and the form of a new issue. */
export const issuePages: readonly PageRoute[] = [
  page('/issues/:number', show, threadDeeds),
  page('', async ({ at }) => seeOther(`${at}/issues`)),
  page('/issues', (visit) => list(visit, 'issues')),
  page('/pulls', (visit) => list(visit, 'pulls')),
  page('/issues/new', newIssue, { open }),
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
    const labels = context.store.labelsOn(issue).map((label) => html` ${labelTag(label)}`);
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

async function open(visit: RepositoryVisit, { form: fields }: Asked): Promise<string> {
  const made = await visit.api('POST', `/repos${visit.at}/issues`, {
    title: fields.get('title') ?? '',
    body: fields.get('body') ?? '',
  });
  // What GitHub answers when it has created an issue.
  return `${visit.at}/issues/${(made as { number: number }).number}`;
}

async function show(visit: RepositoryVisit, { number }: Params): Promise<Shown> {
  const issue = visit.context.store.issue(visit.repository, Number(number));
  if (!issue) throw notFound();
  if (isPull(issue)) return seeOther(`${visit.at}/pull/${issue.number}`);
  const byline = html`${person(visit.context, issue.user_id)} opened this issue ${time(issue.created_at)}`;
  const main = html`${titleLine(issue, byline)}
<div class="columns"><div>
${openingCard(visit, issue)}
${await timeline(visit, issue)}
${commentBox(visit, issue)}
</div><div class="sidebar">${labelSection(visit, issue)}</div></div>`;
  return { title: `${issue.title} · Issue #${issue.number}`, tab: 'issues', main };
}
