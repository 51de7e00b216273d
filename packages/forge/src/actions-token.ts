import { randomBytes } from 'node:crypto';
import { addAccount } from './accounts.ts';
import { createApp, installApp } from './apps.ts';
import type { Context } from './context.ts';
import type { App, Installation, Permissions, Repository } from './model.ts';

/** GITHUB_TOKEN belongs to GitHub's own App on every repository; it can never have `workflows: write`. */
export function actionsToken(
  context: Context,
  repository: Repository,
  { permissions, minutes }: { permissions: Permissions; minutes: number },
): string {
  const { workflows: _, ...granted } = permissions;
  const installation = actionsInstallation(context, repository);
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  context.store.data.tokens.push({
    token,
    account_id: context.store.app(installation.app_id).bot_id,
    installation_id: installation.id,
    permissions: { metadata: 'read', ...granted },
    repository_ids: [repository.id],
    expires_at: new Date(context.now().getTime() + minutes * 60_000).toISOString(),
  });
  return token;
}

function actionsInstallation(context: Context, repository: Repository): Installation {
  const app = context.store.data.apps.find(({ slug }) => slug === 'github-actions') ?? actionsApp(context);
  const existing = context.store.data.installations.find(
    (one) => one.app_id === app.id && one.repository_ids.includes(repository.id),
  );
  return existing ?? installApp(context, app, [repository]);
}

function actionsApp(context: Context): App {
  const owner = context.store.accountNamed('github') ?? addAccount(context, 'github', 'Organization');
  const names = ['actions', 'checks', 'contents', 'issues', 'pull_requests', 'statuses'];
  const permissions: Permissions = Object.fromEntries(names.map((name) => [name, 'write']));
  return createApp(context, {
    owner: owner.login,
    slug: 'github-actions',
    name: 'GitHub Actions',
    webhook_url: '',
    webhook_secret: '',
    permissions,
    events: [],
  });
}
