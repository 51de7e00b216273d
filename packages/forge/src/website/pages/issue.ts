import type { Issue } from '../../model.ts';
import { notFound } from '../../responses.ts';
import { isPull } from '../../store.ts';
import { person, stateOf, time } from '../components.ts';
import { type Html, html } from '../html.ts';
import { below } from '../pattern.ts';
import { seeOther } from '../response.ts';
import { commentBox } from '../thread/comment-box.ts';
import { labelSection } from '../thread/labels.ts';
import { openingCard, threadDeeds, titleLine } from '../thread/thread.ts';
import { timeline } from '../thread/timeline.ts';
import type { PageRoute, Params, RepositoryVisit, Shown } from '../visit.ts';

/** One issue with its conversation. */
export const issuePages: readonly PageRoute[] = [
  { pattern: below('/issues/:number'), of: 'repository', show, deeds: threadDeeds },
];

async function show(visit: RepositoryVisit, { number }: Params): Promise<Shown> {
  const issue = visit.context.store.issue(visit.repository, Number(number));
  if (!issue) throw notFound();
  if (isPull(issue)) return seeOther(`${visit.at}/pull/${issue.number}`);
  const byline = html`${person(visit.context, issue.user_id)} opened this issue ${time(issue.created_at)}`;
  const main = html`${titleLine(visit, issue, byline)}
<div class="columns"><div>
${openingCard(visit, issue)}
${await timeline(visit, issue)}
${commentBox(visit, issue)}
</div><div class="sidebar">${labelSection(visit, issue)}${mentions(visit, issue)}</div></div>`;
  return { title: `${issue.title} · Issue #${issue.number}`, tab: 'issues', main };
}

/** The pull requests that name the issue, as those that close it do. */
function mentions({ context, repository, at }: RepositoryVisit, { number }: Issue): Html {
  const name = new RegExp(`#${number}\\b`);
  const pulls = context.store.pulls(repository).filter(({ title, body }) => name.test(`${title} ${body}`));
  const items = pulls.map(
    (pull) =>
      html`<li><a href="${at}/pull/${pull.number}">${pull.title} #${pull.number}</a> <span class="tag">${stateOf(pull)}</span></li>`,
  );
  const none = html`<p class="muted">No pull request mentions this issue</p>`;
  return html`<section aria-labelledby="development"><h2 id="development">Development</h2>
${items.length === 0 ? none : html`<ul class="plain">${items}</ul>`}</section>`;
}
