import type { Context } from '../context.ts';
import type { Account, App, Installation, Json, Repository, Team } from '../model.ts';
import { nodeId } from './links.ts';

export function accountPayload(context: Context, account: Account): Json {
  const api = `${context.apiUrl}/users/${encodeURIComponent(account.login)}`;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${context.url}/avatars/u/${account.id}`,
    gravatar_id: '',
    url: api,
    html_url: `${context.url}/${htmlPath(account)}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

export function accountById(context: Context, id: number | null): Json | null {
  return id === null ? null : accountPayload(context, context.store.account(id));
}

/** The account with the fields that `GET /users/{username}` and `GET /user` add. */
export function profilePayload(context: Context, account: Account): Json {
  const owned = context.store.data.repositories.filter((one) => one.owner_id === account.id);
  return {
    ...accountPayload(context, account),
    name: account.login,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: owned.filter((one) => !one.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.created_at,
    updated_at: account.created_at,
  };
}

/** The author's association with the repository, which is not a permission. */
export function association(context: Context, repository: Repository, user_id: number): string {
  if (repository.owner_id === user_id) return 'OWNER';
  if (repository.collaborators[String(user_id)] === undefined) return 'NONE';
  return context.store.account(repository.owner_id).type === 'Organization' ? 'MEMBER' : 'COLLABORATOR';
}

function htmlPath(account: Account): string {
  return account.type === 'Bot' ? `apps/${account.login.replace(/\[bot\]$/, '')}` : account.login;
}

export function appPayload(context: Context, app: App): Json {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.client_id,
    node_id: nodeId('App', app.id),
    owner: accountPayload(context, context.store.account(app.owner_id)),
    name: app.name,
    description: '',
    external_url: `${context.url}/apps/${app.slug}`,
    html_url: `${context.url}/apps/${app.slug}`,
    created_at: app.created_at,
    updated_at: app.created_at,
    permissions: app.permissions,
    events: app.events,
  };
}

export function appById(context: Context, id: number | null): Json | null {
  return id === null ? null : appPayload(context, context.store.app(id));
}

export function installationPayload(context: Context, installation: Installation): Json {
  const { repository_ids: _, account_id, ...shown } = installation;
  const app = context.store.app(shown.app_id);
  return {
    ...shown,
    node_id: nodeId('Installation', installation.id),
    client_id: app.client_id,
    account: accountById(context, account_id),
    repository_selection: 'selected',
    access_tokens_url: `${context.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${context.apiUrl}/installation/repositories`,
    html_url: `${context.url}/settings/installations/${installation.id}`,
    app_slug: app.slug,
    target_id: account_id,
    target_type: context.store.account(account_id).type,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: null,
  };
}

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
