import { type Context, gitOf } from '../context.ts';
import type { Json } from '../json.ts';
import type { Repository } from '../model.ts';
import { apiLink, encodedPath, htmlLink } from '../payloads/links.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';

interface Entry {
  mode: string;
  type: string;
  sha: string;
  size: number;
  path: string;
}

export const contentRoutes: Route[] = [
  /** A file (Base64, or raw if requested) or the entries of a directory. */
  repositoryRoute('GET /contents/{path}', needs('read', { contents: 'read' }), async (request) => {
    const { context, repository, query, params, accept } = request;
    const ref = query.get('ref') ?? repository.default_branch;
    const path = (params['path'] ?? '').replace(/\/+$/, '');
    const git = gitOf(context, repository);
    const sha = await git.commit(ref);
    if (!sha) throw new HttpError(404, `No commit found for the ref ${ref}`);
    if (path === '') return ok(await listing({ context, repository, ref, tree: sha, prefix: '' }));
    const [entry] = entriesIn(await git.run(['ls-tree', '-l', '-z', sha, '--', path]), '');
    if (!entry) throw notFound();
    if (entry.type === 'tree')
      return ok(await listing({ context, repository, ref, tree: entry.sha, prefix: `${path}/` }));
    if (/\braw\b/.test(accept)) return rawFile(request, entry);
    return ok(await filePayload(request, entry, ref));
  }),
];

/** The file `{path}` in a commit, without its content. */
export async function entryAt(
  { context, repository, params }: RepositoryRequest,
  commit: string,
): Promise<Json> {
  const path = params['path'] ?? '';
  const output = await gitOf(context, repository).run(['ls-tree', '-l', '-z', commit, '--', path]);
  const [entry] = entriesIn(output, '');
  if (!entry) throw notFound();
  return entryPayload(context, repository, { entry, ref: commit });
}

interface Listing {
  context: Context;
  repository: Repository;
  ref: string;
  tree: string;
  prefix: string;
}

async function listing({ context, repository, ref, tree, prefix }: Listing): Promise<Json[]> {
  const output = await gitOf(context, repository).run(['ls-tree', '-l', '-z', tree]);
  return entriesIn(output, prefix).map((entry) => entryPayload(context, repository, { entry, ref }));
}

function entriesIn(output: string, prefix: string): Entry[] {
  return output
    .split('\0')
    .map((line) => /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line))
    .filter((match) => match !== null)
    .map(([, mode = '', type = '', sha = '', size = '', path = '']) => ({
      mode,
      type,
      sha,
      size: Number(size) || 0,
      path: prefix + path,
    }));
}

function entryPayload(
  context: Context,
  repository: Repository,
  { entry, ref }: { entry: Entry; ref: string },
): Json {
  const isDirectory = entry.type === 'tree';
  const path = encodedPath(entry.path);
  const at = encodedPath(ref);
  const self = apiLink(context, repository, `/contents/${path}?ref=${encodeURIComponent(ref)}`);
  const git = apiLink(context, repository, `/git/${isDirectory ? 'trees' : 'blobs'}/${entry.sha}`);
  const html = htmlLink(context, repository, `/${isDirectory ? 'tree' : 'blob'}/${at}/${path}`);
  return {
    type: isDirectory ? 'dir' : 'file',
    name: entry.path.split('/').at(-1) ?? '',
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url: self,
    git_url: git,
    html_url: html,
    download_url: isDirectory ? null : htmlLink(context, repository, `/raw/${at}/${path}`),
    _links: { self, git, html },
  };
}

async function filePayload(
  { context, repository }: RepositoryRequest,
  entry: Entry,
  ref: string,
): Promise<Json> {
  const result = await gitOf(context, repository).bytes(['cat-file', 'blob', entry.sha]);
  const content = result.toString('base64').replace(/.{60}/g, '$&\n');
  return {
    ...entryPayload(context, repository, { entry, ref }),
    encoding: 'base64',
    content: `${content}\n`,
  };
}

async function rawFile({ context, repository }: RepositoryRequest, entry: Entry): Promise<ApiResponse> {
  const content = await gitOf(context, repository).bytes(['cat-file', 'blob', entry.sha]);
  const type = 'application/vnd.github.raw; charset=utf-8';
  return { status: 200, text: { type, content: content.toString('utf8') } };
}
