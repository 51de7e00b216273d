import { seeOther } from '../../../../../src/html/response.ts';
import { type Entry, listCommits, listTree } from '../../git/commits.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { HttpError, notFound } from '../../responses.ts';
import { firstLine } from '../diff.ts';
import { branchLink, form, type Html, html, shortSha, time } from '../html.ts';
import { linksIn } from '../links.ts';
import { checksOn, summaryIcon } from '../merge/check-list.ts';
import { type Branch, branchesOf, codePath, commitCalled, type Place, placeIn } from '../refs.ts';
import { rawResponse } from '../response.ts';
import { markdown } from '../text/markdown.ts';
import {
  type Asked,
  kept,
  type Page,
  type PageRoute,
  type Params,
  page,
  type RepositoryVisit,
} from '../visit.ts';

/** The files of a repository, folder by folder; one of them with its lines, rendered, or to be changed. */
export const codePages: readonly PageRoute[] = [
  page('/edit/*rest', edit, { commit }),
  page('/blob/*rest', async (visit, { rest = '' }) => {
    const place = await placeIn(visit, rest);
    if (await isFolder(visit, place)) return seeOther(codePath(visit.at, 'tree', place));
    return blob(visit, place);
  }),
  page('/raw/*rest', async (visit, { rest = '' }) => {
    return rawResponse(await fileAt(visit, await placeIn(visit, rest)));
  }),
  page('', overview),
  page('/tree/*rest', async (visit, { rest = '' }) => tree(visit, await placeIn(visit, rest))),
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
</div>
<div class="card">${await newestCommit(visit, place)}<ul class="plain rows">${entries.map((entry) => row(at, place, entry))}</ul></div>
${await readme(visit, place, entries)}`;
  return { title, tab: 'code', main };
}

/** The last commit that changed something here. */
async function newestCommit(visit: RepositoryVisit, { sha, path }: Place): Promise<Html | false> {
  const { git } = visit;
  const of = path === '' ? [] : ['--', path];
  const [commit] = await listCommits(git, ['--max-count=1', sha, ...of], 'newest');
  if (!commit) return false;
  return html`<div class="head">${summaryIcon(checksOn(visit, commit.sha))} <b>${commit.author.name}</b>
<a href="${visit.at}/commit/${commit.sha}">${firstLine(commit.message)}</a>
<span class="end muted"><code>${shortSha(commit.sha)}</code> ${time(commit.committer.date)}</span></div>`;
}

/** Folders first. */
async function entriesOf({ git }: RepositoryVisit, { sha, path }: Place): Promise<Entry[]> {
  const found = await listTree(git, `${sha}:${path}`);
  if (found.length === 0) throw notFound();
  const order = ({ type, path: name }: Entry) => `${type === 'tree' ? 0 : 1}${name}`;
  return found.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

function row(at: string, { ref, path }: Place, { type, path: name }: Entry): Html {
  const full = path === '' ? name : `${path}/${name}`;
  if (type === 'commit') return html`<li>${name} <span class="muted">another repository</span></li>`;
  const kind = type === 'tree' ? 'tree' : 'blob';
  return html`<li><a href="${codePath(at, kind, { ref, path: full })}">${name}${kind === 'tree' && '/'}</a></li>`;
}

function crumbs(at: string, { ref, path }: Place): Html {
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

async function readme(visit: RepositoryVisit, _place: Place, entries: Entry[]): Promise<Html | false> {
  const found = entries.find(({ type, path }) => type === 'blob' && /^readme(?:\.md)?$/i.test(path));
  if (!found) return false;
  const { git } = visit;
  const text = await git.run(['cat-file', 'blob', found.sha]);
  return html`<section class="card" aria-labelledby="readme"><h2 class="head" id="readme">${found.path}</h2><div class="body markdown">${markdown(text, linksIn(visit))}</div></section>`;
}

async function isFolder({ git }: RepositoryVisit, { sha, path }: Place): Promise<boolean> {
  const type = await git.attempt(['cat-file', '-t', `${sha}:${path}`]);
  return path !== '' && type.stdout.trim() === 'tree';
}

/** The content of a file; a 404 if there is none at this path. */
async function fileAt({ git }: RepositoryVisit, { sha, path }: Place): Promise<Buffer> {
  const result = await git.attempt(['cat-file', 'blob', `${sha}:${path}`]);
  if (path === '' || result.code !== 0) throw notFound();
  return result.bytes;
}

/** The text of a file that people can edit, or why they cannot. */
function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 8000).includes(0)) throw new HttpError(422, 'This file is binary.');
  return bytes.toString('utf8');
}

async function blob(visit: RepositoryVisit, place: Place): Promise<Page> {
  const { at, role } = visit;
  const bytes = await fileAt(visit, place);
  const edit = codePath(at, 'edit', place);
  const isMarkdown = /\.(?:md|markdown)$/i.test(place.path);
  const isPlain = !isMarkdown || visit.query.get('plain') === '1';
  const content = bytes.subarray(0, 8000).includes(0)
    ? html`<p class="body">This file is binary.</p>`
    : isPlain
      ? linesOf(bytes.toString('utf8'), place)
      : html`<h2 class="hidden">Preview</h2><div class="body markdown">${markdown(bytes.toString('utf8'), linksIn(visit))}</div>`;
  const main = html`<h1>${crumbs(at, place)}</h1>
<div class="card code-card"><div class="head">
<span class="muted">${bytes.length} bytes at ${place.ref}</span>
<span class="end">${isMarkdown && switchTo(isPlain)}
<a href="${codePath(at, 'raw', place)}">Raw</a>
${place.isBranch && atLeast(role, 'write') && html` · <a href="${edit}">Edit</a>`}</span></div>
${content}</div>`;
  return { title: `${place.path} at ${place.ref}`, tab: 'code', main, wide: true };
}

function switchTo(isPlain: boolean): Html {
  return isPlain ? html`<a href="?">Preview</a> · ` : html`<a href="?plain=1">Code</a> · `;
}

const maxLines = 5000;
const maxLineLength = 2000;

function linesOf(text: string, { path }: Place): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  const rows = lines.slice(0, maxLines).map((line, index) => {
    const number = index + 1;
    const shown = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (cut)` : line;
    return html`<tr id="L${number}"><td class="number"><a href="#L${number}">${number}</a></td><td>${shown}</td></tr>`;
  });
  const cut = lines.length - maxLines;
  return html`<div class="scroll" role="group" tabindex="0" aria-label="Lines of ${path}"><table class="code" role="presentation">${rows}</table></div>
${cut > 0 && html`<p class="body muted">${cut} more lines are not shown.</p>`}`;
}

async function edit(visit: RepositoryVisit, { rest = '' }: Params): Promise<Page> {
  const { at } = visit;
  const place = await placeIn(visit, rest);
  requireBranch(visit, place);
  const bytes = await fileAt(visit, place);
  const text = kept(visit, 'commit', 'content') ?? textOf(bytes);
  const sha = kept(visit, 'commit', 'sha') ?? (await blobId(visit, place));
  const message = kept(visit, 'commit', 'message') ?? '';
  const crlf = /\r\n/.test(bytes.toString('latin1')) ? 'crlf' : 'lf';
  const fields = html`<label>The file<textarea class="code" name="content" rows="20" spellcheck="false" wrap="off">
${text}</textarea></label>
<label>Commit message<input type="text" name="message" value="${message}" placeholder="Update ${place.path}"></label>
<p>The commit goes directly to ${branchLink(at, place.ref)}, as yours.</p>
<div class="buttons"><button class="primary">Commit changes</button>
<a class="button" href="${codePath(at, 'blob', place)}">Cancel</a></div>`;
  const main = html`<h1>Edit ${crumbs(at, place)}</h1>
${form(visit, { does: 'commit', fields: { sha, ends: crlf }, className: 'fields' }, fields)}`;
  return { title: `Edit ${place.path}`, tab: 'code', main, wide: true, still: true };
}

/** Those who may not push are told so before they type. */
function requireBranch({ role }: RepositoryVisit, { isBranch, ref }: Place): void {
  if (!isBranch) throw new HttpError(422, `Only files of a branch can be edited, and ${ref} is none.`);
  if (atLeast(role, 'write')) return;
  throw new HttpError(403, 'You need write access to edit files here: the forge has no forks.');
}

/** Changes a file of a branch by a commit of the person's own, as a push would. */
async function commit(visit: RepositoryVisit, { params, form: fields }: Asked): Promise<string> {
  const place = await placeIn(visit, params['rest'] ?? '');
  const text = fields.get('content') ?? '';
  const content = fields.get('ends') === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
  const message = fields.get('message')?.trim() || `Update ${place.path}`;
  await visit.api('PUT', `/repos${visit.at}/contents/${encodedPath(place.path)}`, {
    message,
    content: Buffer.from(content).toString('base64'),
    branch: place.ref,
    sha: fields.get('sha'),
  });
  const { store } = visit.context;
  const pull = store.issue(visit.repository, Number(visit.query.get('pr')))?.pull;
  if (pull) return `${visit.at}/pull/${Number(visit.query.get('pr'))}/files`;
  return codePath(visit.at, 'blob', place);
}

async function blobId({ git }: RepositoryVisit, { sha, path }: Place): Promise<string> {
  return git.run(['rev-parse', '--verify', `${sha}:${path}`]);
}
