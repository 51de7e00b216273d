import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { App, Installation } from '../model.ts';
import { accountById, accountPayload } from './accounts.ts';
import { nodeId } from './links.ts';

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
  const app = context.store.app(installation.app_id);
  return {
    id: installation.id,
    node_id: nodeId('Installation', installation.id),
    client_id: app.client_id,
    account: accountById(context, installation.account_id),
    repository_selection: 'selected',
    access_tokens_url: `${context.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${context.apiUrl}/installation/repositories`,
    html_url: `${context.url}/settings/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: installation.account_id,
    target_type: context.store.account(installation.account_id).type,
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.created_at,
    updated_at: installation.updated_at,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: null,
  };
}
