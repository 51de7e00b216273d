import { gitOf } from '../../context.ts';
import { listCommits, readCommit } from '../../git/commits.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { notFound } from '../../responses.ts';
import { isPull } from '../../store.ts';
import { type Comparison, changesBetween, commitsBetween, comparisonIn } from '../comparison.ts';
import { commitList, diffOf, firstLine } from '../diff.ts';
import { branchLink, commitLink, form, type Html, html, plural, time } from '../html.ts';
import { checkList, checksOn } from '../merge/check-list.ts';
import { branchesOf, codePath, commitCalled, placeIn } from '../refs.ts';
import { rawResponse } from '../response.ts';
import {
  below,
  type Deed,
  kept,
  type Page,
  type PageRoute,
  type Params,
  type RepositoryVisit,
} from '../visit.ts';

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

/** Differences as text, as `git diff` and `git format-patch` write them. */
export const plainPages: readonly PageRoute[] = [
  ...kinds('/pull/:number', pullRange),
  ...kinds('/commit/:sha', commitRange),
  ...kinds('/compare/*range', compareRange),
];

interface Range {
  from: string;
  to: string;
}

type RangeOf = (visit: RepositoryVisit, params: Params) => Promise<Range>;

function kinds(path: string, rangeOf: RangeOf): PageRoute[] {
  const route = (kind: 'diff' | 'patch'): PageRoute => ({
    pattern: below(`${path}.${kind}`),
    of: 'repository',
    async show(visit, params) {
      const { from, to } = await rangeOf(visit, params);
      const git = gitOf(visit.context, visit.repository);
      const args = kind === 'diff' ? ['diff', from, to] : ['format-patch', '--stdout', `${from}..${to}`];
      return rawResponse(await git.bytes(args));
    },
    deeds: {},
  });
  return [route('diff'), route('patch')];
}

async function pullRange({ context, repository }: RepositoryVisit, { number }: Params): Promise<Range> {
  const issue = context.store.issue(repository, Number(number));
  if (!issue || !isPull(issue)) throw notFound();
  const { base_sha, head_sha } = issue.pull;
  const fork = await gitOf(context, repository).mergeBase(base_sha, head_sha);
  return { from: fork ?? base_sha, to: head_sha };
}

async function commitRange(visit: RepositoryVisit, { sha = '' }: Params): Promise<Range> {
  const to = await commitCalled(visit, sha);
  if (!to) throw notFound();
  const parent = await gitOf(visit.context, visit.repository).attempt([
    'rev-parse',
    '--verify',
    '--quiet',
    `${to}^`,
  ]);
  return { from: parent.code === 0 ? parent.stdout.trim() : emptyTree, to };
}

async function compareRange(visit: RepositoryVisit, { range = '' }: Params): Promise<Range> {
  const comparison = await comparisonIn(visit, range);
  if ('created' in comparison) throw notFound();
  return { from: comparison.forkSha, to: comparison.headSha };
}
