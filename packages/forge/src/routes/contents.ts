import type { Context } from '../context.ts';
import { type Entry, listTree, readCommit } from '../git/commits.ts';
import { changedTree, signedIn, webIdentity } from '../git/committing.ts';
import type { Json, Repository } from '../model.ts';
import { updateRef } from '../operations/merging.ts';
import { gitCommitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink } from '../payloads/links.ts';
import { covers, needs } from '../permissions.ts';
import { HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';

const write = needs('write', { contents: 'write' });

export const contentRoutes: Route[] = [
  /** A file (Base64, or raw if requested) or the entries of a directory. */
  repositoryRoute(
    'GET /contents/{path}',
    needs('read', { contents: 'read' }),
    async ({ accept, context, git, params, query, repository }) => {
      const ref = query.get('ref') ?? repository.default_branch;
      const path = (params['path'] ?? '').replace(/\/+$/, '');
      const sha = await git.commit(ref);
      if (!sha) throw new HttpError(404, `No commit found for the ref ${ref}`);
      const list = async (tree: string, prefix: string) =>
        (await listTree(git, tree)).map((one) =>
          entryPayload(context, repository, { entry: { ...one, path: prefix + one.path }, ref }),
        );
      if (path === '') return ok(await list(sha, ''));
      const [entry] = await listTree(git, sha, '--', path);
      if (!entry) throw notFound();
      if (entry.type === 'tree') return ok(await list(entry.sha, `${path}/`));
      const content = await git.bytes(['cat-file', 'blob', entry.sha]);
      if (/\braw\b/.test(accept)) {
        const type = 'application/vnd.github.raw; charset=utf-8';
        return { status: 200, text: { type, content: content.toString('utf8') } };
      }
      return ok({
        ...entryPayload(context, repository, { entry, ref }),
        encoding: 'base64',
        content: `${content.toString('base64').replace(/.{60}/g, '$&\n')}\n`,
      });
    },
  ),
  /** Creates a file, or replaces the one whose blob the caller names. */
  repositoryRoute('PUT /contents/{path}', write, async (request) => {
    const content = Buffer.from(request.input.requiredText('content'), 'base64');
    const { existed, sha, commit } = await change(request, content);
    const written = await entryAt(request, sha);
    return { status: existed ? 200 : 201, body: { content: written, commit } };
  }),
  repositoryRoute('DELETE /contents/{path}', write, async (request) => {
    const { commit } = await change(request, null);
    return ok({ content: null, commit });
  }),
];

/** The file `{path}` in a commit, without its content. */
async function entryAt(
  { context, repository, params, git }: RepositoryRequest,
  commit: string,
): Promise<Json> {
  const [entry] = await listTree(git, commit, '--', params['path'] ?? '');
  if (!entry) throw notFound();
  return entryPayload(context, repository, { entry, ref: commit });
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

/** Commits a change of the file `{path}`; also returns whether it was there before. */
async function change(request: RepositoryRequest, content: Buffer | null) {
  const { context, repository, input, params, git, sender_id } = request;
  const path = params['path'] ?? '';
  requireWorkflows(request, path);
  const message = input.requiredText('message');
  const ref = `refs/heads/${input.text('branch') ?? repository.default_branch}`;
  const before = await git.ref(ref);
  if (before === undefined) throw new HttpError(404, `Branch ${ref.slice('refs/heads/'.length)} not found`);
  const existed = await requireCurrent(request, before, path);
  if (content === null && !existed) throw notFound();
  const tree = await changedTree(git, before, { path, content });
  const after = await git.run(['commit-tree', tree, '-p', before], {
    input: `${message}\n`,
    env: webIdentity(context, sender_id, signedIn(input)),
  });
  await updateRef(request, { ref, before, after });
  const commit = gitCommitPayload(context, repository, await readCommit(git, after));
  return { existed, sha: after, commit };
}

/** The caller must name the blob that they replace. Returns whether there is one. */
async function requireCurrent(
  { input, git }: RepositoryRequest,
  commit: string,
  path: string,
): Promise<boolean> {
  const found = await git.attempt(['rev-parse', '--verify', '--quiet', `${commit}:${path}`]);
  if (found.code !== 0) return false;
  const sha = input.requiredText('sha');
  if (sha !== found.stdout.trim()) throw new HttpError(409, `${path} does not match ${sha}`);
  return true;
}

function requireWorkflows({ actor }: RepositoryRequest, path: string): void {
  if (!path.startsWith('.github/workflows/') || actor.kind !== 'installation') return;
  if (covers(actor.permissions, { workflows: 'write' })) return;
  throw new HttpError(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': 'contents=write,workflows=write' },
  });
}
