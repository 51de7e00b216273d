import { gitOf } from '../../context.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { HttpError } from '../../responses.ts';
import { branchLink, form } from '../components.ts';
import { html } from '../html.ts';
import { below } from '../pattern.ts';
import { codePath, type Place, placeIn } from '../refs.ts';
import { type Deed, kept, type Page, type PageRoute, type RepositoryVisit } from '../visit.ts';
import { fileAt, textOf } from './blob.ts';
import { crumbs } from './code.ts';

/** Changes a file of a branch by a commit of the person's own, as a push would. */
export const editPages: readonly PageRoute[] = [
  {
    pattern: below('/edit/*rest'),
    of: 'repository',
    show: async (visit, { rest }) => edit(visit, await placeIn(visit, rest ?? '')),
    deeds: { commit: (visit, asked) => commit(visit, asked) },
  },
];

async function edit(visit: RepositoryVisit, place: Place): Promise<Page> {
  const { at } = visit;
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

const commit: Deed = async (visit, { params, form: fields }) => {
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
};

async function blobId({ context, repository }: RepositoryVisit, { sha, path }: Place): Promise<string> {
  return gitOf(context, repository).run(['rev-parse', '--verify', `${sha}:${path}`]);
}
