import { commitsBetween, listChanges } from '../git/commits.ts';
import type { PullIssue } from '../model.ts';
import { forkPoint } from '../operations/pull-details.ts';
import { notFound } from '../responses.ts';
import { isPull } from '../store.ts';
import { type Html, html, person, plural } from './html.ts';
import { runsOf } from './merge/check-list.ts';
import { titleLine } from './thread/thread.ts';
import type { RepositoryVisit } from './visit.ts';

type PullTab = '' | '/checks' | '/files';

export function pullIn({ context, repository }: RepositoryVisit, number: string | undefined): PullIssue {
  const issue = context.store.issue(repository, Number(number));
  if (!issue || !isPull(issue)) throw notFound();
  return issue;
}

/** What stands above each of the three pages of a pull request. */
export async function pullFrame(visit: RepositoryVisit, issue: PullIssue, tab: PullTab): Promise<Html> {
  const { context, at } = visit;
  const { pull, number } = issue;
  const [commits, changes] = await Promise.all([
    commitsBetween(visit.git, pull.base_sha, pull.head_sha),
    listChanges(visit.git, await forkPoint(context, issue), pull.head_sha),
  ]);
  const checks = runsOf(visit, issue);
  const branches = html`into <code class="branch">${pull.base_ref}</code> from <code class="branch">${pull.head_ref}</code>`;
  const count = plural(commits.length, 'commit');
  const byline =
    pull.merged_at === null
      ? html`${person(context, issue.user_id)} wants to merge ${count} ${branches}`
      : html`${person(context, pull.merged_by_id)} merged ${count} ${branches}`;
  const link = (which: PullTab, text: string, size?: number) =>
    html`<a href="${at}/pull/${number}${which}"${which === tab && html` aria-current="page"`}>${text}${size !== undefined && html` <span class="count">${size}</span>`}</a>`;
  return html`${titleLine(issue, byline)}
<nav class="tabs" aria-label="Pull request">${link('', 'Conversation')}${link('/checks', 'Checks', checks.length)}${link('/files', 'Files changed', changes.length)}</nav>`;
}

export function pullTitle({ title, number }: PullIssue): string {
  return `${title} · Pull request #${number}`;
}
