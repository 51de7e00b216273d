import type { Actor } from '../actors.ts';
import { type Context, fullName, gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Activity, Json, Repository, Ruleset } from '../model.ts';
import { updateRef } from '../operations/merging.ts';
import { activitiesOf, renameBranch } from '../operations/pushes.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from '../payloads/links.ts';
import {
  activityPayload,
  branchRules,
  protectionPayload,
  protectionSummary,
  rulesetPayload,
  rulesetSummary,
} from '../payloads/repositories.ts';
import { atLeast, covers, needs, requireAccess, roleOf } from '../permissions.ts';
import { type ApiResponse, created, HttpError, noContent, notFound, ok } from '../responses.ts';
import { cursorPage, page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { bypassOf, protectionOn, rulesetsOn } from '../rules/applied.ts';
import { authorIn, numberOf } from './shared.ts';

const contents = needs('read', { contents: 'read' });

const metadata = needs('read', { metadata: 'read' });
const write = needs('write', { contents: 'write' });

export const branchRoutes: Route[] = [
  repositoryRoute('GET /branches', contents, async (request) => {
    const { context, repository, query, git } = request;
    const format = '--format=%(refname:lstrip=2) %(objectname)';
    const output = await git.run(['for-each-ref', format, 'refs/heads/']);
    const wanted = query.get('protected');
    const branches = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [name = '', sha = ''] = line.split(' ');
        const commit = { sha, url: apiLink(context, repository, `/commits/${sha}`) };
        return { name, commit, ...protectionOf(repository, name) };
      })
      .filter((branch) => wanted === null || String(branch.protected) === wanted);
    return page(request, branches, (branch) => ({
      ...branch,
      protection_url: `${apiLink(context, repository, `/branches/${branch.name}`)}/protection`,
    }));
  }),
  repositoryRoute('GET /branches/{branch}', contents, async ({ context, repository, params }) => {
    return ok(await payloadOf({ context, repository, name: params['branch'] ?? '' }));
  }),
  repositoryRoute('GET /branches/{branch}/protection', needs('read', { administration: 'read' }), protection),
  /** The default branch can be renamed only by administrators. */
  repositoryRoute(
    'POST /branches/{branch}/rename',
    needs('write', { contents: 'write' }),
    async (request) => {
      const { context, repository, params, input, actor } = request;
      const from = params['branch'] ?? '';
      const to = input.requiredText('new_name');
      if (from === repository.default_branch) {
        requireAccess(actor, { repository, needs: needs('admin', { administration: 'write' }) });
      }
      await renameBranch(context, repository, { from, to, sender_id: authorIn(request).user_id });
      return created(await payloadOf({ context, repository, name: to }));
    },
  ),
  /** The rules that apply to a branch of this name, whether or not it exists and whoever may bypass them. */
  repositoryRoute('GET /rules/branches/{branch}', metadata, (request) => {
    const { context, repository, params } = request;
    const rulesets = rulesetsOn(repository, `refs/heads/${params['branch']}`);
    return page(
      request,
      rulesets.flatMap((ruleset) => branchRules(context, repository, ruleset)),
      (rule) => rule,
    );
  }),
  repositoryRoute('GET /rulesets', metadata, (request) =>
    page(request, request.repository.rulesets, (one) =>
      rulesetSummary(request.context, request.repository, one),
    ),
  ),
  /** Who may bypass it is only for those who may change it; whether the caller may is for the caller. */
  repositoryRoute('GET /rulesets/{ruleset_id}', metadata, (request) => {
    const { context, repository, actor } = request;
    const ruleset = rulesetIn(request);
    return ok({
      ...rulesetPayload(context, repository, ruleset),
      ...(mayAdminister(actor, repository) ? { bypass_actors: ruleset.bypass_actors } : {}),
      ...ownBypass(request, ruleset),
    });
  }),
  repositoryRoute('GET /git/ref/{ref}', contents, async (request) => {
    const wanted = `refs/${request.params['ref']}`;
    const ref = (await refsUnder(request, wanted)).find((one) => one.ref === wanted);
    if (!ref) throw notFound();
    return ok(refPayload(request, ref));
  }),
  repositoryRoute('GET /git/matching-refs/{ref}', contents, async (request) => {
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
    const git = request.git;
    if (await git.ref(ref)) throw new HttpError(422, 'Reference already exists');
    const sender_id = authorIn(request).user_id;
    await updateRef(request.context, request.repository, { ref, before: zeroSha, after, sender_id });
    return created(refPayload(request, { ref, type: 'commit', sha: after }));
  }),
  repositoryRoute('PATCH /git/refs/{ref}', write, async (request) => {
    const { context, repository, input, git } = request;
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
    const before = await request.git.ref(ref);
    if (!before) throw new HttpError(422, 'Reference does not exist');
    const sender_id = authorIn(request).user_id;
    await updateRef(request.context, request.repository, { ref, before, after: zeroSha, sender_id });
    return noContent();
  }),
  /** Newest first, unless `direction=asc`. */
  repositoryRoute('GET /activity', needs('read', { contents: 'read' }), (request) => {
    const { context, repository, query } = request;
    const direction = wordIn(query, 'direction', ['asc', 'desc']);
    const found = activitiesOf(context, repository).filter((one) => isAsked(context, one, query));
    return cursorPage(request, direction === 'asc' ? found.reverse() : found, (activity) =>
      activityPayload(context, activity),
    );
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

function ownBypass({ context, repository, actor }: RepositoryRequest, ruleset: Ruleset): Json {
  if (actor.kind !== 'user' && actor.kind !== 'installation') return {};
  const caller = { ruleset, account_id: actor.account.id };
  return { current_user_can_bypass: bypassOf(context, repository, caller) };
}

function mayAdminister(actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'user') return atLeast(roleOf(actor.account, repository), 'admin');
  return actor.kind === 'installation' && covers(actor.permissions, { administration: 'write' });
}

function rulesetIn({ repository, params }: RepositoryRequest): Ruleset {
  const id = numberOf(params['ruleset_id']);
  const ruleset = repository.rulesets.find((one) => one.id === id);
  if (!ruleset) throw notFound();
  return ruleset;
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

async function refsUnder({ git }: RepositoryRequest, ...patterns: string[]): Promise<Ref[]> {
  const format = '--format=%(refname) %(objecttype) %(objectname)';
  const output = await git.run(['for-each-ref', format, ...patterns]);
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

const types = ['push', 'force_push', 'branch_creation', 'branch_deletion', 'pr_merge', 'merge_queue_merge'];

const dayMs = 24 * 60 * 60 * 1000;
const periods: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, quarter: 90, year: 365 };

function isAsked(context: Context, activity: Activity, query: URLSearchParams): boolean {
  const ref = query.get('ref');
  const type = wordIn(query, 'activity_type', types);
  const period = wordIn(query, 'time_period', Object.keys(periods));
  const ageMs = context.now().getTime() - Date.parse(activity.timestamp);
  return (
    (ref === null || activity.ref === (ref.startsWith('refs/') ? ref : `refs/heads/${ref}`)) &&
    (type === null || activity.activity_type === type) &&
    (period === null || ageMs <= (periods[period] ?? 0) * dayMs) &&
    isByActor(context, activity, query.get('actor'))
  );
}

function isByActor({ store }: Context, { actor_id }: Activity, login: string | null): boolean {
  if (login === null) return true;
  return actor_id !== null && store.account(actor_id).login.toLowerCase() === login.toLowerCase();
}

function wordIn(query: URLSearchParams, name: string, words: readonly string[]): string | null {
  const word = query.get(name);
  if (word === null || words.includes(word)) return word;
  throw new HttpError(
    422,
    `Invalid request.\n\nInvalid input: \`${word}\` is not a possible value for "${name}".` +
      ` Must be one of the following: ${words.join(', ')}.`,
  );
}
