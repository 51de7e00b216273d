import type { Actor } from '../actors.ts';
import type { Account, Team } from '../model.ts';
import { organizationPayload, teamDetails } from '../payloads/teams.ts';
import { covers, needs, notAccessible } from '../permissions.ts';
import { HttpError, notFound, ok } from '../responses.ts';
import { type ApiRequest, openRoute, type Route } from '../router.ts';

export const teamRoutes: Route[] = [
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
