import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { HttpError, notFound } from '../../responses.ts';
import { form, html } from '../html.ts';
import { rawResponse } from '../response.ts';
import {
  type Asked,
  commitCalled,
  kept,
  type Page,
  type PageRoute,
  type Params,
  page,
  type RepositoryVisit,
  type Shown,
} from '../visit.ts';

/** A file of a branch that is changed, and files as they are. */
export const filePages: readonly PageRoute[] = [
  page('/edit/*rest', edit, { commit }),
  page('/blob/*rest', raw),
  page('/raw/*rest', raw),
];

async function raw(visit: RepositoryVisit, { rest = '' }: Params): Promise<Shown> {
  return rawResponse(await fileAt(visit, await placeIn(visit, rest)));
}

/** A file of a commit, with the name by which somebody asks for the commit. */
interface Place {
  /** A branch, a tag or the beginning of a commit's id. */
  ref: string;
  sha: string;
  isBranch: boolean;
  path: string;
}

/** Splits `topic/one/src/a.ts` where the name of a branch ends; throws a 404 if there is no such commit. */
async function placeIn(visit: RepositoryVisit, rest: string): Promise<Place> {
  const branches = (await visit.git.refs('refs/heads/')).map(({ ref }) => ref.slice('refs/heads/'.length));
  const branch = branches.find((name) => rest.startsWith(`${name}/`));
  const ref = branch ?? rest.split('/', 1)[0] ?? '';
  const sha = await commitCalled(visit, ref);
  if (!sha) throw notFound();
  return { ref, sha, isBranch: branch !== undefined, path: rest.slice(ref.length + 1) };
}

/** The content of a file; a 404 if there is none at this path. */
async function fileAt({ git }: RepositoryVisit, { sha, path }: Place): Promise<Buffer> {
  const result = await git.attempt(['cat-file', 'blob', `${sha}:${path}`]);
  if (path === '' || result.code !== 0) throw notFound();
  return result.bytes;
}

async function edit(visit: RepositoryVisit, { rest = '' }: Params): Promise<Page> {
  const place = await placeIn(visit, rest);
  const { ref, path } = place;
  requireBranch(visit, place);
  const bytes = await fileAt(visit, place);
  const text = kept(visit, 'commit', 'content') ?? textOf(bytes);
  const blob = await visit.git.run(['rev-parse', '--verify', `${place.sha}:${path}`]);
  const sha = kept(visit, 'commit', 'sha') ?? blob;
  const message = kept(visit, 'commit', 'message') ?? '';
  const ends = bytes.includes('\r\n') ? 'crlf' : 'lf';
  const fields = html`<label>The file<textarea class="code" name="content" rows="20" spellcheck="false" wrap="off">
${text}</textarea></label>
<label>Commit message<input type="text" name="message" value="${message}" placeholder="Update ${path}"></label>
<p>The commit goes directly to <code>${ref}</code>, as yours.</p>
<div class="buttons"><button class="primary">Commit changes</button>
<a class="button" href="${changesOf(visit, ref) ?? visit.at}">Cancel</a></div>`;
  const main = html`<h1>Edit ${path}</h1>
${form(visit, { does: 'commit', fields: { sha, ends }, className: 'fields' }, fields)}`;
  return { title: `Edit ${path}`, main, wide: true, still: true };
}

/** Those who may not push are told so before they type. */
function requireBranch({ role }: RepositoryVisit, { isBranch, ref }: Place): void {
  if (!isBranch)
    throw new HttpError(422, `Only files on a branch can be edited, and ${ref} is not a branch.`);
  if (atLeast(role, 'write')) return;
  throw new HttpError(403, 'You need write access to edit files here: the forge has no forks.');
}

/** The text of a file that people can edit, or why they cannot. */
function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 8000).includes(0)) throw new HttpError(422, 'This file is binary.');
  return bytes.toString('utf8');
}

/** Changes a file of a branch by a commit of the person's own, as a push would. */
async function commit(visit: RepositoryVisit, { params, form: fields }: Asked): Promise<string> {
  const { ref, path } = await placeIn(visit, params['rest'] ?? '');
  const text = fields.get('content') ?? '';
  const content = fields.get('ends') === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
  await visit.api('PUT', `/repos${visit.at}/contents/${encodedPath(path)}`, {
    message: fields.get('message')?.trim() || `Update ${path}`,
    content: Buffer.from(content).toString('base64'),
    branch: ref,
    sha: fields.get('sha'),
  });
  return changesOf(visit, ref) ?? visit.path;
}

/** The page of what a branch changes, if it has a pull request. */
function changesOf({ context, repository, at }: RepositoryVisit, branch: string): string | undefined {
  const pulls = context.store.pulls(repository);
  const found = pulls.findLast(({ state, pull }) => state === 'open' && pull.head_ref === branch);
  return found && `${at}/pull/${found.number}/files`;
}
