import { fullName, gitOf } from '../context.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Json } from '../json.ts';
import { updateRef } from '../operations/ref-updates.ts';
import { apiLink, nodeId } from '../payloads/links.ts';
import { needs } from '../permissions.ts';
import { created, HttpError, noContent, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { authorIn } from './shared.ts';

const read = needs('read', { contents: 'read' });
const write = needs('write', { contents: 'write' });

export const refRoutes: Route[] = [
  repositoryRoute('GET /git/ref/{ref}', read, async (request) => {
    const wanted = `refs/${request.params['ref']}`;
    const ref = (await refsUnder(request, wanted)).find((one) => one.ref === wanted);
    if (!ref) throw notFound();
    return ok(refPayload(request, ref));
  }),
  repositoryRoute('GET /git/matching-refs/{ref}', read, async (request) => {
    const prefix = `refs/${request.params['ref']}`;
    const refs = await refsUnder(request, `${prefix}*`, `${prefix}*/**`, prefix);
    return ok(refs.filter(({ ref }) => ref.startsWith(prefix)).map((ref) => refPayload(request, ref)));
  }),
  repositoryRoute('POST /git/refs', write, async (request) => {
    const ref = request.input.requiredText('ref');
    const after = request.input.requiredText('sha');
    if (!/^refs\/[^/]+\/.+/.test(ref) || ref.startsWith('refs/pull/')) {
      throw new HttpError(422, "Reference name must start with 'refs/' and contain at least two slashes.");
    }
    await requireObject(request, after);
    const git = gitOf(request.context, request.repository);
    if (await git.ref(ref)) throw new HttpError(422, 'Reference already exists');
    const sender_id = authorIn(request).user_id;
    await updateRef(request.context, request.repository, { ref, before: zeroSha, after, sender_id });
    return created(refPayload(request, { ref, type: 'commit', sha: after }));
  }),
  repositoryRoute('PATCH /git/refs/{ref}', write, async (request) => {
    const { context, repository, input } = request;
    const git = gitOf(context, repository);
    const ref = `refs/${request.params['ref']}`;
    const after = input.requiredText('sha');
    await requireObject(request, after);
    const before = await git.ref(ref);
    if (!before) throw new HttpError(422, 'Reference does not exist');
    if (!input.flag('force') && !(await git.isAncestor(before, after))) {
      throw new HttpError(422, 'Update is not a fast forward');
    }
    await updateRef(context, repository, { ref, before, after, sender_id: authorIn(request).user_id });
    return ok(refPayload(request, { ref, type: 'commit', sha: after }));
  }),
  repositoryRoute('DELETE /git/refs/{ref}', write, async (request) => {
    const ref = `refs/${request.params['ref']}`;
    const before = await gitOf(request.context, request.repository).ref(ref);
    if (!before) throw new HttpError(422, 'Reference does not exist');
    const sender_id = authorIn(request).user_id;
    await updateRef(request.context, request.repository, { ref, before, after: zeroSha, sender_id });
    return noContent();
  }),
];

interface Ref {
  ref: string;
  type: string;
  sha: string;
}

async function requireObject({ context, repository }: RepositoryRequest, sha: string): Promise<void> {
  const git = gitOf(context, repository);
  const known = /^[0-9a-f]{40}$/.test(sha) && (await git.attempt(['cat-file', '-e', sha])).code === 0;
  if (!known) throw new HttpError(422, 'Object does not exist');
}

async function refsUnder({ context, repository }: RepositoryRequest, ...patterns: string[]): Promise<Ref[]> {
  const format = '--format=%(refname) %(objecttype) %(objectname)';
  const output = await gitOf(context, repository).run(['for-each-ref', format, ...patterns]);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', type = '', sha = ''] = line.split(' ');
      return { ref, type, sha };
    });
}

function refPayload({ context, repository }: RepositoryRequest, { ref, type, sha }: Ref): Json {
  const at = `/git/${type}s/${sha}`;
  return {
    ref,
    node_id: nodeId('Ref', `${fullName(context, repository)}:${ref}`),
    url: apiLink(context, repository, `/git/${ref}`),
    object: { type, sha, url: apiLink(context, repository, at) },
  };
}
