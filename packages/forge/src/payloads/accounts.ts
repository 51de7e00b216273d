import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { Account, Repository } from '../model.ts';
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
