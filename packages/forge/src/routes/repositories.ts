import type { Actor } from '../actors.ts';
import type { Account, DeployKey, Json, Team } from '../model.ts';
import { accountPayload, organizationPayload, profilePayload, teamDetails } from '../payloads/accounts.ts';
import { apiLink } from '../payloads/links.ts';
import { repositoryDetails } from '../payloads/repositories.ts';
import { atLeast, covers, needs, notAccessible, permissionFlags, roleOf } from '../permissions.ts';
import { type ApiResponse, HttpError, notFound, ok } from '../responses.ts';
import {
  type ApiRequest,
  openRoute,
  page,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
} from '../router.ts';
import { thingIn } from './shared.ts';

const metadata = needs('read', { metadata: 'read' });

const administration = needs('read', { administration: 'read' });

export const repositoryRoutes: Route[] = [
  repositoryRoute('GET /', metadata, (request) => ok(withPermissions(request))),
  openRoute('GET /users/{username}', user),
  repositoryRoute(
    'GET /collaborators/{username}/permission',
    needs('write', { metadata: 'read' }),
    ({ context, repository, params }) => {
      const account = context.store.accountNamed(params['username'] ?? '');
      if (!account) throw new HttpError(404, `${params['username']} is not a user`);
      const role = roleOf(account, repository);
      const role_name = role ?? 'none';
      return ok({
        permission: role === undefined ? 'none' : permissionWords[role],
        role_name,
        user: { ...accountPayload(context, account), permissions: permissionFlags(role), role_name },
      });
    },
  ),
  repositoryRoute('GET /keys', administration, (request) => {
    requireAdministrator(request);
    return page(request.repository.deploy_keys, (key) => keyPayload(request, key));
  }),
  repositoryRoute('GET /keys/{key_id}', administration, (request) => {
    requireAdministrator(request);
    return ok(keyPayload(request, thingIn(request, request.repository.deploy_keys, 'key_id')));
  }),
  openRoute('GET /orgs/{org}', (request) => {
    return ok(organizationPayload(request.context, organizationIn(request).id));
  }),
  openRoute('GET /orgs/{org}/teams/{team_slug}', (request) => {
    return ok(teamDetails(request.context, teamIn(request)));
  }),
  openRoute('GET /orgs/{org}/teams/{team_slug}/memberships/{username}', (request) => {
    const { context, params } = request;
    const found = teamIn(request);
    const account = context.store.accountNamed(params['username'] ?? '');
    if (account === undefined || !isMember(context.store.data.teams, found, account)) throw notFound();
    const { login } = context.store.account(found.organization_id);
    const url = `${context.apiUrl}/orgs/${login}/teams/${found.slug}/memberships/${account.login}`;
    return ok({ url, role: 'member', state: 'active' });
  }),
];

/** A repository's payload contains the caller's permissions. */
function withPermissions({ context, repository, actor }: RepositoryRequest) {
  if (actor.kind !== 'user') return repositoryDetails(context, repository);
  const role = roleOf(actor.account, repository);
  return { ...repositoryDetails(context, repository), permissions: permissionFlags(role) };
}

function user({ context, params }: ApiRequest): ApiResponse {
  const account = context.store.accountNamed(params['username'] ?? '');
  if (!account) throw notFound();
  return ok(profilePayload(context, account));
}

/** The legacy permission for each role: maintain is write, triage is read. */
const permissionWords = { read: 'read', triage: 'read', write: 'write', maintain: 'write', admin: 'admin' };

/** To other people there are no keys, not even that they are forbidden. */
function requireAdministrator({ actor, repository }: RepositoryRequest): void {
  if (actor.kind === 'installation') return;
  if (actor.kind !== 'user' || !atLeast(roleOf(actor.account, repository), 'admin')) throw notFound();
}

function keyPayload({ context, repository }: RepositoryRequest, deployKey: DeployKey): Json {
  const { added_by_id, ...shown } = deployKey;
  return {
    ...shown,
    url: apiLink(context, repository, `/keys/${shown.id}`),
    verified: true,
    added_by: context.store.account(added_by_id).login,
    last_used: null,
    enabled: true,
  };
}

/** Members of child teams count. */
function isMember(teams: readonly Team[], { id, member_ids }: Team, account: Account): boolean {
  const children = teams.filter(({ parent_id }) => parent_id === id);
  return member_ids.includes(account.id) || children.some((child) => isMember(teams, child, account));
}

function organizationIn({ context, params }: ApiRequest): Account {
  const account = context.store.accountNamed(params['org'] ?? '');
  if (account?.type !== 'Organization') throw notFound();
  return account;
}

/** Apps need a permission of the organization in which they are installed; elsewhere they see no team. */
function teamIn(request: ApiRequest): Team {
  const { context, params, actor } = request;
  if (actor.kind === 'anonymous') throw new HttpError(401, 'Requires authentication');
  const account = organizationIn(request);
  requireMembers(actor, account);
  const slug = params['team_slug']?.toLowerCase();
  const found = context.store.data.teams.find(
    (one) => one.organization_id === account.id && one.slug.toLowerCase() === slug,
  );
  if (found === undefined) throw notFound();
  return found;
}

function requireMembers(actor: Actor, { id }: Account): void {
  if (actor.kind !== 'installation') return;
  const isInstalled = actor.installation.account_id === id;
  if (!isInstalled || !covers(actor.permissions, { members: 'read' }))
    throw notAccessible(needs('read', { members: 'read' }));
}
