import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { commitList } from '../commit-list.ts';
import { type Comparison, changesBetween, commitsBetween, comparisonIn } from '../comparison.ts';
import { branchLink, commitLink, form, plural } from '../components.ts';
import { diffOf } from '../diff.ts';
import { type Html, html } from '../html.ts';
import { below } from '../pattern.ts';
import { branchesOf } from '../refs.ts';
import { type Deed, kept, type Page, type PageRoute, type RepositoryVisit } from '../visit.ts';

/** What a branch or commit has that another one has not. */
export const comparePages: readonly PageRoute[] = [
  {
    pattern: below('/compare/*range'),
    of: 'repository',
    show: (visit, { range }) => compare(visit, range ?? ''),
    deeds: { 'open-pull': (visit, asked) => openPull(visit, asked) },
  },
];

async function compare(visit: RepositoryVisit, range: string): Promise<Page> {
  const comparison = await comparisonIn(visit, range);
  const title = `Comparing ${range.replace(/\b([0-9a-f]{7})[0-9a-f]{5,33}\b/g, '$1')}`;
  if ('created' in comparison) {
    const main = html`<h1>${title}</h1><p class="notice">There is nothing to compare: the branch was created at ${commitLink(visit.at, comparison.created)}.</p>`;
    return { title, tab: 'code', main };
  }
  const { forkSha, headSha } = comparison;
  const [commits, changes] = await Promise.all([
    commitsBetween(visit, comparison),
    changesBetween(visit, forkSha, headSha),
  ]);
  const main = html`<h1>${title}</h1>
<p>${commitLink(visit.at, comparison.baseSha)} … ${commitLink(visit.at, headSha)}: ${plural(commits.length, 'commit')}.</p>
${commits.length > 0 && (await pullForm(visit, comparison))}
${commitList(visit, commits)}
${diffOf(changes, {
  whole: `${visit.at}/compare/${encodedPath(range)}.diff`,
  linksFor: ({ filename, status }) =>
    status !== 'removed' &&
    html`<a href="${visit.at}/blob/${headSha}/${encodedPath(filename)}">View file</a>`,
})}`;
  return { title, tab: 'code', main, wide: true };
}

/** Between two branches a pull request can be opened. */
async function pullForm(visit: RepositoryVisit, { base, head }: Comparison): Promise<Html | false> {
  const names = (await branchesOf(visit)).map(({ name }) => name);
  if (!names.includes(base) || !names.includes(head) || !atLeast(visit.role, 'read')) return false;
  const open = visit.context.store
    .pulls(visit.repository)
    .find(({ state, pull }) => state === 'open' && pull.head_ref === head && pull.base_ref === base);
  if (open) {
    const link = html`<a href="${visit.at}/pull/${open.number}">${open.title} #${open.number}</a>`;
    return html`<p class="notice">These branches have a pull request: ${link}.</p>`;
  }
  const fields = html`<label>Title<input type="text" name="title" value="${kept(visit, 'open-pull', 'title') ?? ''}" required></label>
<label>Description<textarea name="body" rows="4">
${kept(visit, 'open-pull', 'body') ?? ''}</textarea></label>
<label class="choice"><input type="checkbox" name="draft" value="1"> As a draft</label>
<div class="buttons"><button class="primary">Create pull request</button></div>`;
  const body = form(visit, { does: 'open-pull', fields: { base, head }, className: 'fields' }, fields);
  return html`<details class="card"><summary class="body">Create pull request</summary><div class="body">
<p>From ${branchLink(visit.at, head)} into ${branchLink(visit.at, base)}.</p>${body}</div></details>`;
}

const openPull: Deed = async ({ api, at }, { form: fields }) => {
  const created = await api('POST', `/repos${at}/pulls`, {
    title: fields.get('title') ?? '',
    body: fields.get('body') ?? '',
    base: fields.get('base'),
    head: fields.get('head'),
    draft: fields.get('draft') === '1',
  });
  // What GitHub answers when it has created a pull request.
  return `${at}/pull/${(created as { number: number }).number}`;
};
