import { gitOf } from '../../context.ts';
import { listCommits } from '../../git/commits.ts';
import { encodedPath } from '../../payloads/links.ts';
import { notFound } from '../../responses.ts';
import { firstLine } from '../commit-list.ts';
import { branchLink, plural, shortSha, time } from '../components.ts';
import { type Html, html } from '../html.ts';
import { linksIn } from '../links.ts';
import { checksOn, summaryIcon } from '../merge/check-list.ts';
import { below } from '../pattern.ts';
import { type Branch, branchesOf, codePath, commitCalled, type Place, placeIn } from '../refs.ts';
import { markdown } from '../text/markdown.ts';
import type { Page, PageRoute, RepositoryVisit } from '../visit.ts';

/** The files of a repository, folder by folder, and its branches. */
export const codePages: readonly PageRoute[] = [
  { pattern: below(''), of: 'repository', show: (visit) => overview(visit), deeds: {} },
  { pattern: below('/branches'), of: 'repository', show: branches, deeds: {} },
  { pattern: below('/branches/all'), of: 'repository', show: branches, deeds: {} },
  {
    pattern: below('/tree/*rest'),
    of: 'repository',
    show: async (visit, { rest }) => tree(visit, await placeIn(visit, rest ?? '')),
    deeds: {},
  },
];

async function overview(visit: RepositoryVisit): Promise<Page> {
  const { repository, at } = visit;
  const ref = repository.default_branch;
  const sha = await commitCalled(visit, ref);
  const description = html`<p>${repository.description ?? 'There is no description.'}</p>`;
  if (!sha) {
    const main = html`<h1>${at.slice(1)}</h1>${description}<p class="notice">This repository is empty.</p>`;
    return { title: 'Code', tab: 'code', main };
  }
  const page = await tree(visit, { ref, sha, isBranch: true, path: '' });
  return { ...page, main: html`<h1>${at.slice(1)}</h1>${description}${page.main}` };
}

async function tree(visit: RepositoryVisit, place: Place): Promise<Page> {
  const { at } = visit;
  const [entries, all] = await Promise.all([entriesOf(visit, place), branchesOf(visit)]);
  const title = place.path === '' ? `Files of ${place.ref}` : `${place.path} at ${place.ref}`;
  const main = html`${place.path !== '' && html`<h1>${crumbs(at, place)}</h1>`}
<div class="bar">${branchMenu(at, place, all)}
<a href="${at}/commits/${encodedPath(place.ref)}">Commits</a>
<a href="${at}/branches">${plural(all.length, 'branch', 'branches')}</a>
</div>
<div class="card">${await newestCommit(visit, place)}<ul class="plain rows">${entries.map((entry) => row(at, place, entry))}</ul></div>
${await readme(visit, place, entries)}`;
  return { title, tab: 'code', main };
}

/** The last commit that changed something here. */
async function newestCommit(visit: RepositoryVisit, { sha, path }: Place): Promise<Html | false> {
  const git = gitOf(visit.context, visit.repository);
  const of = path === '' ? [] : ['--', path];
  const [commit] = await listCommits(git, ['--max-count=1', sha, ...of], 'newest');
  if (!commit) return false;
  return html`<div class="head">${summaryIcon(checksOn(visit, commit.sha))} <b>${commit.author.name}</b>
<a href="${visit.at}/commit/${commit.sha}">${firstLine(commit.message)}</a>
<span class="end muted"><code>${shortSha(commit.sha)}</code> ${time(commit.committer.date)}</span></div>`;
}

interface Entry {
  type: string;
  name: string;
}

/** Folders first. */
async function entriesOf({ context, repository }: RepositoryVisit, { sha, path }: Place): Promise<Entry[]> {
  const git = gitOf(context, repository);
  const result = await git.attempt(['ls-tree', '-z', `${sha}:${path}`]);
  if (result.code !== 0) throw notFound();
  const found = result.stdout.split('\0').flatMap((line) => {
    const [, type = '', name = ''] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(line) ?? [];
    return name === '' ? [] : [{ type, name }];
  });
  const order = ({ type, name }: Entry) => `${type === 'tree' ? 0 : 1}${name}`;
  return found.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

function row(at: string, { ref, path }: Place, { type, name }: Entry): Html {
  const full = path === '' ? name : `${path}/${name}`;
  if (type === 'commit') return html`<li>${name} <span class="muted">another repository</span></li>`;
  const kind = type === 'tree' ? 'tree' : 'blob';
  return html`<li><a href="${codePath(at, kind, { ref, path: full })}">${name}${kind === 'tree' && '/'}</a></li>`;
}

export function crumbs(at: string, { ref, path }: Place): Html {
  const segments = path.split('/');
  const links = segments.map((segment, index) => {
    if (index === segments.length - 1) return html`<b>${segment}</b>`;
    const folder = segments.slice(0, index + 1).join('/');
    return html`<a href="${codePath(at, 'tree', { ref, path: folder })}">${segment}</a> / `;
  });
  return html`<a href="${codePath(at, 'tree', { ref, path: '' })}">${at.split('/')[2]}</a> / ${links}`;
}

function branchMenu(at: string, place: Place, all: Branch[]): Html {
  const items = all.map(({ name }) => {
    const href = codePath(at, 'tree', { ref: name, path: '' });
    return html`<li><a href="${href}"${name === place.ref && html` aria-current="true"`}>${name}</a></li>`;
  });
  return html`<details id="branch-menu"><summary class="button">${place.ref}</summary><ul>${items}</ul></details>`;
}

async function readme(visit: RepositoryVisit, place: Place, entries: Entry[]): Promise<Html | false> {
  const found = entries.find(({ type, name }) => type === 'blob' && /^readme(?:\.md)?$/i.test(name));
  if (!found) return false;
  const path = place.path === '' ? found.name : `${place.path}/${found.name}`;
  const git = gitOf(visit.context, visit.repository);
  const text = await git.run(['cat-file', 'blob', `${place.sha}:${path}`]);
  return html`<section class="card" aria-labelledby="readme"><h2 class="head" id="readme">${found.name}</h2><div class="body markdown">${markdown(text, linksIn(visit))}</div></section>`;
}

async function branches(visit: RepositoryVisit): Promise<Page> {
  const { at, repository, context } = visit;
  const all = await branchesOf(visit);
  const rows = all.map(({ name, sha }) => {
    const pulls = context.store.pulls(repository).filter(({ pull }) => pull.head_ref === name);
    const links = pulls.map(({ number }) => html` <a href="${at}/pull/${number}">#${number}</a>`);
    const isDefault = name === repository.default_branch;
    const compare = `${at}/compare/${encodedPath(repository.default_branch)}...${encodedPath(name)}`;
    return html`<li>${branchLink(at, name)}${isDefault && html` <span class="tag">Default</span>`}
<span><code>${shortSha(sha)}</code></span>${links}
<span class="end">${!isDefault && html`<a href="${compare}">Compare</a>`}</span></li>`;
  });
  const main = html`<h1>Branches</h1><div class="card"><ul class="plain rows">${rows}</ul></div>`;
  return { title: 'Branches', tab: 'code', main };
}
