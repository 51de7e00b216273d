import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Context, fullName, timestamp } from './context.ts';
import type { Account, App, Installation, Json, Permissions, Repository, Token } from './model.ts';
import { installationPayload } from './payloads/accounts.ts';
import { nodeId } from './payloads/links.ts';

export interface NewApp
  extends Pick<App, 'slug' | 'webhook_url' | 'webhook_secret' | 'permissions' | 'events'>,
    Partial<Pick<App, 'callback_urls' | 'user_tokens_expire'>> {
  owner: string;
  name?: string;
}

/** Registers an App with a bot account of its own. */
export function createApp(context: Context, wanted: NewApp): App {
  const owner = context.store.accountNamed(wanted.owner);
  if (!owner) throw new Error(`could not create app ${wanted.slug}: no account is called ${wanted.owner}`);
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const app: App = {
    id: context.store.id(),
    slug: wanted.slug,
    name: wanted.name ?? wanted.slug,
    owner_id: owner.id,
    bot_id: addAccount(context, `${wanted.slug}[bot]`, 'Bot').id,
    client_id: `Iv23${randomBytes(8).toString('hex')}`,
    client_secret: randomBytes(20).toString('hex'),
    callback_urls: wanted.callback_urls ?? [],
    user_tokens_expire: wanted.user_tokens_expire ?? true,
    private_key: keys.privateKey,
    public_key: keys.publicKey,
    webhook_url: wanted.webhook_url,
    webhook_secret: wanted.webhook_secret,
    hook_id: context.store.id(),
    permissions: wanted.permissions,
    events: wanted.events,
    created_at: timestamp(context),
  };
  context.store.data.apps.push(app);
  return app;
}

/** Installs an App on repositories of one owner and sends it the webhook. */
export function installApp(context: Context, app: App, repositories: Repository[]): Installation {
  const [first] = repositories;
  if (!first) throw new Error(`could not install ${app.slug}: no repository was named`);
  const installation: Installation = {
    id: context.store.id(),
    app_id: app.id,
    account_id: first.owner_id,
    repository_ids: repositories.map(({ id }) => id),
    permissions: { metadata: 'read', ...app.permissions },
    events: [...app.events],
    created_at: timestamp(context),
    updated_at: timestamp(context),
  };
  context.store.data.installations.push(installation);
  const more = { repositories: repositories.map((repository) => reference(context, repository)) };
  emitInstallationEvent(context, installation, 'installation.created', more);
  return installation;
}

/** The owner accepts other permissions for an installation. */
export function setPermissions(context: Context, installation: Installation, permissions: Permissions): void {
  installation.permissions = { metadata: 'read', ...permissions };
  installation.updated_at = timestamp(context);
  emitInstallationEvent(context, installation, 'installation.new_permissions_accepted');
}

/** The owner adds repositories to an installation. */
export function coverRepositories(
  context: Context,
  installation: Installation,
  repositories: Repository[],
): void {
  const added = repositories.filter(({ id }) => !installation.repository_ids.includes(id));
  installation.repository_ids.push(...added.map(({ id }) => id));
  const more = {
    repository_selection: 'selected',
    repositories_added: added.map((repository) => reference(context, repository)),
    repositories_removed: [],
    requester: null,
  };
  emitInstallationEvent(context, installation, 'installation_repositories.added', more);
}

/** The forge does not know who clicked, so the App's owner is the sender. */
function emitInstallationEvent(
  context: Context,
  installation: Installation,
  event: string,
  more: Json = {},
): void {
  const { webhook_url, owner_id: sender_id } = context.store.app(installation.app_id);
  if (webhook_url === '') return;
  const [name = '', action = ''] = event.split('.');
  const payload = { installation: installationPayload(context, installation), ...more };
  context.emit({ name, action, installation, sender_id, payload });
}

function reference(context: Context, repository: Repository): Json {
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(context, repository),
    private: repository.private,
  };
}

/** GITHUB_TOKEN belongs to GitHub's own App on every repository; it can never have `workflows: write`. */
export function actionsToken(
  context: Context,
  repository: Repository,
  { permissions, minutes }: { permissions: Permissions; minutes: number },
): string {
  const { workflows: _, ...granted } = permissions;
  const installation = actionsInstallation(context, repository);
  return issueToken(context, 'ghs', {
    account_id: context.store.app(installation.app_id).bot_id,
    installation_id: installation.id,
    permissions: { metadata: 'read', ...granted },
    repository_ids: [repository.id],
    expires_at: new Date(context.now().getTime() + minutes * 60_000).toISOString(),
  }).token;
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

export function addAccount(context: Context, login: string, type: Account['type']): Account {
  const existing = context.store.accountNamed(login);
  if (existing) throw new Error(`could not add ${login}: the name is taken`);
  const account: Account = { id: context.store.id(), login, type, created_at: timestamp(context) };
  context.store.data.accounts.push(account);
  return account;
}

/** A token that is good for all that the account may do, until it is revoked, unless these facts say less. */
export function issueToken(
  context: Context,
  prefix: string,
  facts: Pick<Token, 'account_id'> & Partial<Token>,
): Token {
  const everything = { installation_id: null, permissions: null, repository_ids: null, expires_at: null };
  const token: Token = { ...everything, token: `${prefix}_${randomBytes(18).toString('hex')}`, ...facts };
  context.store.data.tokens.push(token);
  return token;
}
