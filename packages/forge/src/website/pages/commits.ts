import { type CommitRecord, commitsBetween, listChanges, readCommit } from '../../git/commits.ts';
import { zeroSha } from '../../git/plumbing.ts';
import { encodedPath } from '../../payloads/links.ts';
import { notFound } from '../../responses.ts';
import { commitList, diffOf, firstLine } from '../diff.ts';
import { commitLink, html, plural, time } from '../html.ts';
import { checkList, checksOn } from '../merge/check-list.ts';
import { codePath, commitCalled } from '../refs.ts';
import { type Page, type PageRoute, page, type RepositoryVisit } from '../visit.ts';

/** One commit, and what lies between two. */
export const commitPages: readonly PageRoute[] = [
  page('/commit/:sha', (visit, { sha = '' }) => commitPage(visit, sha)),
  /** What a branch or commit has that another one has not. */
  page('/compare/*range', (visit, { range = '' }) => compare(visit, range)),
];

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function commitIn(visit: RepositoryVisit, name: string): Promise<CommitRecord> {
  const sha = await commitCalled(visit, name);
  if (!sha) throw notFound();
  return readCommit(visit.git, sha);
}

async function commitPage(visit: RepositoryVisit, name: string): Promise<Page> {
  const { at } = visit;
  const { sha, message, author, committer, parents } = await commitIn(visit, name);
  const changes = await listChanges(visit.git, parents[0] ?? emptyTree, sha);
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
  linksFor: ({ filename, status }) =>
    status !== 'removed' && html`<a href="${at}/blob/${sha}/${encodedPath(filename)}">View file</a>`,
})}`;
  return { title: firstLine(message), tab: 'code', main, wide: true };
}

async function compare(visit: RepositoryVisit, range: string): Promise<Page> {
  const comparison = await comparisonIn(visit, range);
  const title = `Comparing ${range.replace(/\b([0-9a-f]{7})[0-9a-f]{5,33}\b/g, '$1')}`;
  if ('created' in comparison) {
    const main = html`<h1>${title}</h1><p class="notice">There is nothing to compare: the branch was created at ${commitLink(visit.at, comparison.created)}.</p>`;
    return { title, tab: 'code', main };
  }
  const { forkSha, headSha } = comparison;
  const [commits, changes] = await Promise.all([
    commitsBetween(visit.git, comparison.baseSha, headSha),
    listChanges(visit.git, forkSha, headSha),
  ]);
  const main = html`<h1>${title}</h1>
<p>${commitLink(visit.at, comparison.baseSha)} … ${commitLink(visit.at, headSha)}: ${plural(commits.length, 'commit')}.</p>
${commitList(visit, commits)}
${diffOf(changes, {
  linksFor: ({ filename, status }) =>
    status !== 'removed' &&
    html`<a href="${visit.at}/blob/${headSha}/${encodedPath(filename)}">View file</a>`,
})}`;
  return { title, tab: 'code', main, wide: true };
}

/** Two commits, and where the second one left the first. */
interface Comparison {
  baseSha: string;
  headSha: string;
  forkSha: string;
}

/** What `base...head` means. `base` is undefined for a branch that was created: there is nothing before it. */
async function comparisonIn(
  visit: RepositoryVisit,
  range: string,
): Promise<Comparison | { created: string }> {
  const [base = '', head = ''] = range.split('...').map((name) => name.replace(/^[\w.-]+:/, ''));
  const headSha = await commitCalled(visit, head);
  if (headSha && zeroSha.startsWith(base) && base.length >= 7) return { created: headSha };
  const baseSha = await commitCalled(visit, base);
  if (!baseSha || !headSha) throw notFound();
  const forkSha = await visit.git.mergeBase(baseSha, headSha);
  return { baseSha, headSha, forkSha: forkSha ?? baseSha };
}
