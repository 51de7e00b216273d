import type { QueueEntry } from '../../model.ts';
import { notFound } from '../../responses.ts';
import { groupOf, pullOf, queueOf, queueRuleOn } from '../../rules/queue.ts';
import { commitLink, type Html, html, person, plural, time } from '../html.ts';
import { stateWords } from '../merge/merge-queue.ts';
import { type Page, type PageRoute, type Params, page, type RepositoryVisit } from '../visit.ts';

/** Who is in the merge queue of a branch. */
export const queuePages: readonly PageRoute[] = [page('/queue/*branch', queue)];

async function queue(visit: RepositoryVisit, { branch = '' }: Params): Promise<Page> {
  const { context, repository } = visit;
  if (queueRuleOn(context, repository, branch) === undefined) throw notFound();
  const entries = queueOf(context, repository, branch);
  const main = html`<h1>Merge queue of <code>${branch}</code></h1>
<p class="muted">${plural(entries.length, 'pull request')}, merged in this order.</p>
${entries.length > 0 && html`<div class="card"><ul class="plain rows">${entries.map((entry) => row(visit, entry))}</ul></div>`}`;
  return { title: `Merge queue of ${branch}`, tab: 'pulls', main };
}

function row(visit: RepositoryVisit, entry: QueueEntry): Html {
  const { context, at } = visit;
  const { number, title } = pullOf(context, entry);
  const group = groupOf(context, entry);
  const tested = group && html` as ${commitLink(at, group.head_sha)}`;
  return html`<li><a class="title" href="${at}/pull/${number}">${title}</a> ${stateWords(visit, entry)}${tested}
<span class="below">#${number} added ${time(entry.created_at)} by ${person(context, entry.enqueuer_id)}</span></li>`;
}
