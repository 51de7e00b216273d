import { gitOf } from '../../context.ts';
import { atLeast } from '../../permissions.ts';
import { HttpError, notFound } from '../../responses.ts';
import { type Html, html } from '../html.ts';
import { linksIn } from '../links.ts';
import { below } from '../pattern.ts';
import { codePath, type Place, placeIn } from '../refs.ts';
import { rawResponse, seeOther } from '../response.ts';
import { markdown } from '../text/markdown.ts';
import type { Page, PageRoute, RepositoryVisit } from '../visit.ts';
import { crumbs } from './code.ts';

/** One file, with its lines, rendered, or as it is. */
export const blobPages: readonly PageRoute[] = [
  {
    pattern: below('/blob/*rest'),
    of: 'repository',
    async show(visit, { rest }) {
      const place = await placeIn(visit, rest ?? '');
      if (await isFolder(visit, place)) return seeOther(codePath(visit.at, 'tree', place));
      return blob(visit, place);
    },
    deeds: {},
  },
  {
    pattern: below('/raw/*rest'),
    of: 'repository',
    async show(visit, { rest }) {
      return rawResponse(await fileAt(visit, await placeIn(visit, rest ?? '')));
    },
    deeds: {},
  },
];

async function isFolder({ context, repository }: RepositoryVisit, { sha, path }: Place): Promise<boolean> {
  const type = await gitOf(context, repository).attempt(['cat-file', '-t', `${sha}:${path}`]);
  return path !== '' && type.stdout.trim() === 'tree';
}

/** The content of a file; a 404 if there is none at this path. */
export async function fileAt(
  { context, repository }: RepositoryVisit,
  { sha, path }: Place,
): Promise<Buffer> {
  const git = gitOf(context, repository);
  const result = await git.attempt(['cat-file', 'blob', `${sha}:${path}`]);
  if (path === '' || result.code !== 0) throw notFound();
  return result.bytes;
}

/** The text of a file that people can edit, or why they cannot. */
export function textOf(bytes: Buffer): string {
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
