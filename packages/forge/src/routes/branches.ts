import { type Actor, accountOf } from '../actors.ts';
import { fullName, gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Json, Repository, Ruleset } from '../model.ts';
import { updateRef } from '../operations/merging.ts';
import { activitiesOf } from '../operations/pushes.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from '../payloads/links.ts';
import {
  activityPayload,
  branchRules,
  protectionPayload,
  protectionSummary,
  rulesetPayload,
} from '../payloads/repositories.ts';
import { atLeast, covers, needs, roleOf } from '../permissions.ts';
import { type ApiResponse, created, HttpError, noContent, notFound, ok } from '../responses.ts';
import { cursorPage, page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { bypasses, protectionOn, rulesetsOn } from '../rules/applied.ts';
import { thingIn } from './shared.ts';

const contents = needs('read', { contents: 'read' });

const metadata = needs('read', { metadata: 'read' });
const write = needs('write', { contents: 'write' });

export const branchRoutes: Route[] = [
  repositoryRoute('GET /branches', contents, async ({ context, git, query, repository }) => {
    const wanted = query.get('protected');
    const branches = (await git.refs('refs/heads/'))
      .map(({ ref, sha }) => {
        const name = ref.slice('refs/heads/'.length);
        const commit = { sha, url: apiLink(context, repository, `/commits/${sha}`) };
        return { name, commit, ...protectionOf(repository, name) };
      })
      .filter((branch) => wanted === null || String(branch.protected) === wanted);
    return page(branches, (branch) => ({
      ...branch,
      protection_url: `${apiLink(context, repository, `/branches/${branch.name}`)}/protection`,
    }));
  }),
  repositoryRoute('GET /branches/{branch}', contents, async ({ context, repository, params }) => {
    return ok(await payloadOf({ context, repository, name: params['branch'] ?? '' }));
  }),
  repositoryRoute('GET /branches/{branch}/protection', needs('read', { administration: 'read' }), protection),
  /** The rules that apply to a branch of this name, whether or not it exists and whoever may bypass them. */
  repositoryRoute('GET /rules/branches/{branch}', metadata, ({ context, params, repository }) => {
    const rulesets = rulesetsOn(repository, `refs/heads/${params['branch']}`);
    return page(
      rulesets.flatMap((ruleset) => branchRules(context, repository, ruleset)),
      (rule) => rule,
    );
  }),
  /** Who may bypass it is only for those who may change it; whether the caller may is for the caller. */
  repositoryRoute('GET /rulesets/{ruleset_id}', metadata, (request) => {
    const { context, repository, actor } = request;
    const ruleset = thingIn(request, repository.rulesets, 'ruleset_id');
    return ok({
      ...rulesetPayload(context, repository, ruleset),
      ...(mayAdminister(actor, repository) ? { bypass_actors: ruleset.bypass_actors } : {}),
      ...ownBypass(request, ruleset),
    });
  }),
  repositoryRoute('GET /git/ref/{ref}', contents, async (request) => {
    const wanted = `refs/${request.params['ref']}`;
    const ref = (await request.git.refs(wanted)).find((one) => one.ref === wanted);
    if (!ref) throw notFound();
    return ok(refPayload(request, ref));
  }),
  repositoryRoute('GET /git/matching-refs/{ref}', contents, async (request) => {
    const prefix = `refs/${request.params['ref']}`;
    const refs = await request.git.refs(`${prefix}*`, `${prefix}*/**`, prefix);
    return ok(refs.filter(({ ref }) => ref.startsWith(prefix)).map((ref) => refPayload(request, ref)));
  }),
  repositoryRoute('POST /git/refs', write, async (request) => {
    const ref = request.input.requiredText('ref');
    const after = request.input.requiredText('sha');
    if (!/^refs\/[^/]+\/.+/.test(ref) || ref.startsWith('refs/pull/')) {
      throw new HttpError(422, "Reference name must start with 'refs/' and contain at least two slashes.");
    }
    await requireObject(request, after);
    const git = request.git;
    if (await git.ref(ref)) throw new HttpError(422, 'Reference already exists');

    await updateRef(request, { ref, before: zeroSha, after });
    return created(refPayload(request, { ref, type: 'commit', sha: after }));
  }),
  repositoryRoute('PATCH /git/refs/{ref}', write, async (request) => {
    const { input, git } = request;
    const ref = `refs/${request.params['ref']}`;
    const after = input.requiredText('sha');
    await requireObject(request, after);
    const before = await git.ref(ref);
    if (!before) throw new HttpError(422, 'Reference does not exist');
    if (!input.flag('force') && !(await git.isAncestor(before, after))) {
      throw new HttpError(422, 'Update is not a fast forward');
    }
    await updateRef(request, { ref, before, after });
    return ok(refPayload(request, { ref, type: 'commit', sha: after }));
  }),
  repositoryRoute('DELETE /git/refs/{ref}', write, async (request) => {
    const ref = `refs/${request.params['ref']}`;
    const before = await request.git.ref(ref);
    if (!before) throw new HttpError(422, 'Reference does not exist');
    await updateRef(request, { ref, before, after: zeroSha });
    return noContent();
  }),
  /** Newest first. */
  repositoryRoute('GET /activity', contents, (request) => {
    const { context, repository, query } = request;
    const name = query.get('ref');
    const ref = name?.replace(/^(?!refs\/)/, 'refs/heads/');
    const found = activitiesOf(context, repository).filter((one) => name === null || one.ref === ref);
    return cursorPage(request, found, (one) => activityPayload(context, one), 'after');
  }),
];

type Named = Pick<RepositoryRequest, 'context' | 'repository'> & { name: string };

async function payloadOf({ context, repository, name }: Named): Promise<Json> {
  const sha = await headOf({ context, repository, name });
  const self = apiLink(context, repository, `/branches/${name}`);
  return {
    name,
    commit: commitPayload(context, repository, await readCommit(gitOf(context, repository), sha)),
    _links: { self, html: htmlLink(context, repository, `/tree/${encodedPath(name)}`) },
    ...protectionOf(repository, name),
    protection_url: `${self}/protection`,
  };
}

/** `protected` is also true if only a ruleset applies, of which `protection` tells nothing. */
function protectionOf(repository: Repository, name: string): { protected: boolean; protection: Json } {
  const ref = `refs/heads/${name}`;
  const classic = protectionOn(repository, ref);
  const isProtected = classic !== undefined || rulesetsOn(repository, ref).length > 0;
  return { protected: isProtected, protection: protectionSummary(classic) };
}

/** To people who are not administrators it does not exist. */
async function protection({ context, repository, params, actor }: RepositoryRequest): Promise<ApiResponse> {
  if (actor.kind === 'user' && !atLeast(roleOf(actor.account, repository), 'admin')) throw notFound();
  const branch = params['branch'] ?? '';
  await headOf({ context, repository, name: branch });
  const found = protectionOn(repository, `refs/heads/${branch}`);
  if (!found) throw new HttpError(404, 'Branch not protected');
  return ok(protectionPayload(context, repository, { branch, protection: found }));
}

async function headOf({ context, repository, name }: Named): Promise<string> {
  const sha = await gitOf(context, repository).ref(`refs/heads/${name}`);
  if (!sha) throw new HttpError(404, 'Branch not found');
  return sha;
}

function ownBypass({ context, actor }: RepositoryRequest, ruleset: Ruleset): Json {
  const id = accountOf(actor)?.id;
  if (id === undefined) return {};
  return { current_user_can_bypass: bypasses(context, ruleset, id) ? 'always' : 'never' };
}

function mayAdminister(actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'user') return atLeast(roleOf(actor.account, repository), 'admin');
  return actor.kind === 'installation' && covers(actor.permissions, { administration: 'write' });
}

interface Ref {
  ref: string;
  type: string;
  sha: string;
}

async function requireObject({ git }: RepositoryRequest, sha: string): Promise<void> {
  const known = /^[0-9a-f]{40}$/.test(sha) && (await git.attempt(['cat-file', '-e', sha])).code === 0;
  if (!known) throw new HttpError(422, 'Object does not exist');
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
