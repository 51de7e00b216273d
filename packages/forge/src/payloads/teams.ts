import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { Team } from '../model.ts';
import { nodeId } from './links.ts';

/** A team as in lists and requests for reviews. */
export function teamPayload(context: Context, team: Team): Json {
  const parent = context.store.data.teams.find(({ id }) => id === team.parent_id);
  return { ...plainTeam(context, team), parent: parent === undefined ? null : plainTeam(context, parent) };
}

function plainTeam(context: Context, team: Team): Json {
  const { login, id } = context.store.account(team.organization_id);
  const api = `${context.apiUrl}/organizations/${id}/team/${team.id}`;
  return {
    id: team.id,
    node_id: nodeId('Team', team.id),
    name: team.name,
    slug: team.slug,
    description: '',
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    permission: 'pull',
    url: api,
    html_url: `${context.url}/orgs/${login}/teams/${team.slug}`,
    members_url: `${api}/members{/member}`,
    repositories_url: `${api}/repos`,
    type: 'organization',
    organization_id: id,
  };
}

/** The team with the fields that `GET /orgs/{org}/teams/{team_slug}` adds. */
export function teamDetails(context: Context, team: Team): Json {
  const { member_ids, repository_ids, created_at } = team;
  return {
    ...teamPayload(context, team),
    members_count: member_ids.length,
    repos_count: repository_ids.length,
    created_at,
    updated_at: created_at,
    organization: organizationPayload(context, team.organization_id),
  };
}

/** An organization, as much of it as everybody sees. */
export function organizationPayload(context: Context, organization_id: number): Json {
  const { login, id, created_at } = context.store.account(organization_id);
  const api = `${context.apiUrl}/orgs/${login}`;
  const owned = context.store.data.repositories.filter(({ owner_id }) => owner_id === id);
  return {
    login,
    id,
    node_id: nodeId('Organization', id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${context.url}/avatars/u/${id}`,
    html_url: `${context.url}/${login}`,
    description: '',
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: owned.filter((one) => !one.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    type: 'Organization',
    created_at,
    updated_at: created_at,
    archived_at: null,
  };
}
