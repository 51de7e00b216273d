import { gitOf } from '../../context.ts';
import { listCommits, readCommit } from '../../git/commits.ts';
import { encodedPath } from '../../payloads/links.ts';
import { notFound } from '../../responses.ts';
import { commitList, firstLine } from '../commit-list.ts';
import { changesBetween } from '../comparison.ts';
import { commitLink, time } from '../components.ts';
import { diffOf } from '../diff.ts';
import { html } from '../html.ts';
import { checkList, checksOn } from '../merge/check-list.ts';
import { below } from '../pattern.ts';
import { codePath, commitCalled, placeIn } from '../refs.ts';
import type { Page, PageRoute, RepositoryVisit } from '../visit.ts';

/** The history of a branch, and one commit. */
export const commitPages: readonly PageRoute[] = [
  {
    pattern: below('/commits'),
    of: 'repository',
    show: (visit) => history(visit, visit.repository.default_branch),
    deeds: {},
  },
  {
    pattern: below('/commits/*rest'),
    of: 'repository',
    show: (visit, { rest }) => history(visit, rest ?? ''),
    deeds: {},
  },
  {
    pattern: below('/commit/:sha'),
    of: 'repository',
    show: (visit, { sha }) => commitPage(visit, sha ?? ''),
    deeds: {},
  },
];

const mostCommits = 100;

async function history(visit: RepositoryVisit, rest: string): Promise<Page> {
  const place = await placeIn(visit, rest);
  const git = gitOf(visit.context, visit.repository);
  const of = place.path === '' ? [] : ['--', place.path];
  const range = [`--max-count=${mostCommits + 1}`, place.sha, ...of];
  const commits = await listCommits(git, range, 'newest');
  const isCut = commits.length > mostCommits;
  const main = html`<h1>Commits${place.path !== '' && html` to ${place.path}`} on ${place.ref}</h1>
${commitList(visit, commits.slice(0, mostCommits))}
${isCut && html`<p class="muted">Only the newest ${mostCommits} commits are shown.</p>`}`;
  return { title: `Commits on ${place.ref}`, tab: 'code', main };
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function commitPage(visit: RepositoryVisit, name: string): Promise<Page> {
  const { context, repository, at } = visit;
  const sha = await commitCalled(visit, name);
  if (!sha) throw notFound();
  const { message, author, committer, parents } = await readCommit(gitOf(context, repository), sha);
  const changes = await changesBetween(visit, parents[0] ?? emptyTree, sha);
  const [title, ...rest] = message.split('\n');
  const body = rest.join('\n').trim();
  const checks = checksOn(visit, sha);
  const main = html`<h1>${title || '(no message)'}</h1>
${body !== '' && html`<pre tabindex="0">${body}</pre>`}
<p>${author.name} committed ${time(committer.date)} · commit <code>${sha}</code>
${parents.map((parent) => html` · parent ${commitLink(at, parent)}`)}</p>
<p><a href="${codePath(at, 'tree', { ref: sha, path: '' })}">Browse files</a></p>
${
  checks.length > 0 &&
  html`<section class="card" aria-labelledby="checks"><h2 class="head" id="checks">Checks</h2><div class="body">${checkList(visit, checks)}</div></section>`
}
${diffOf(changes, {
  whole: `${at}/commit/${sha}.diff`,
  linksFor: ({ filename, status }) =>
    status !== 'removed' && html`<a href="${at}/blob/${sha}/${encodedPath(filename)}">View file</a>`,
})}`;
  return { title: firstLine(message), tab: 'code', main, wide: true };
}
