import type { CommitRecord } from '../git/commits.ts';
import { shortSha, time } from './components.ts';
import { type Html, html } from './html.ts';
import { checksOn, summaryIcon } from './merge/check-list.ts';
import type { RepositoryVisit } from './visit.ts';

/** Commits with their authors and what their checks say. */
export function commitList(visit: RepositoryVisit, commits: CommitRecord[]): Html {
  const { at } = visit;
  if (commits.length === 0) return html`<p class="notice">There are no commits here.</p>`;
  const rows = commits.map(
    ({ sha, message, author, committer }) => html`<li>${summaryIcon(checksOn(visit, sha))}
<a class="title" href="${at}/commit/${sha}">${firstLine(message)}</a>
<span class="end"><code>${shortSha(sha)}</code></span>
<span class="below">${author.name} committed ${time(committer.date)}</span></li>`,
  );
  return html`<div class="card"><ul class="plain rows">${rows}</ul></div>`;
}

export function firstLine(message: string): string {
  return message.split('\n', 1)[0] || '(no message)';
}
