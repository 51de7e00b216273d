import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Account, App, Installation, Permissions, Repository } from './model.ts';
import { installationPayload } from './payloads/apps.ts';
import { nodeId } from './payloads/links.ts';
import { fullName, type Json, type Site, timestamp } from './site.ts';

export interface NewApp {
  owner: string;
  slug: string;
  name?: string;
  webhook_url: string;
  webhook_secret: string;
  permissions: Permissions;
  events: string[];
}

/** Registers an App with a bot account of its own. */
export function createApp(site: Site, wanted: NewApp): App {
  const owner = site.store.accountNamed(wanted.owner);
  if (!owner) throw new Error(`could not create app ${wanted.slug}: no account is called ${wanted.owner}`);
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const app: App = {
    id: site.store.id(),
    slug: wanted.slug,
    name: wanted.name ?? wanted.slug,
    owner_id: owner.id,
    bot_id: addAccount(site, `${wanted.slug}[bot]`, 'Bot').id,
    client_id: `Iv23${randomBytes(8).toString('hex')}`,
    client_secret: randomBytes(20).toString('hex'),
    private_key: keys.privateKey,
    public_key: keys.publicKey,
    webhook_url: wanted.webhook_url,
    webhook_secret: wanted.webhook_secret,
    hook_id: site.store.id(),
    permissions: wanted.permissions,
    events: wanted.events,
    created_at: timestamp(site),
  };
  site.store.data.apps.push(app);
  return app;
}

export function addAccount(site: Site, login: string, type: Account['type']): Account {
  const existing = site.store.accountNamed(login);
  if (existing) throw new Error(`could not add ${login}: the name is taken`);
  const account: Account = { id: site.store.id(), login, type, created_at: timestamp(site) };
  site.store.data.accounts.push(account);
  return account;
}

/** Installs an App on repositories of one owner, and tells it. */
export function installApp(site: Site, app: App, repositories: Repository[]): Installation {
  const [first] = repositories;
  if (!first) throw new Error(`could not install ${app.slug}: no repository was named`);
  const installation: Installation = {
    id: site.store.id(),
    app_id: app.id,
    account_id: first.owner_id,
    repository_ids: repositories.map(({ id }) => id),
    permissions: { metadata: 'read', ...app.permissions },
    events: [...app.events],
    created_at: timestamp(site),
    updated_at: timestamp(site),
  };
  site.store.data.installations.push(installation);
  const more = { repositories: repositories.map((repository) => reference(site, repository)) };
  tellOfInstallation(site, installation, { event: 'installation', action: 'created', more });
  return installation;
}

/** The owner accepts other permissions for an installation. */
export function setPermissions(site: Site, installation: Installation, permissions: Permissions): void {
  installation.permissions = { metadata: 'read', ...permissions };
  installation.updated_at = timestamp(site);
  tellOfInstallation(site, installation, {
    event: 'installation',
    action: 'new_permissions_accepted',
    more: {},
  });
}

/** The owner lets an installation see more repositories. */
export function coverRepositories(site: Site, installation: Installation, repositories: Repository[]): void {
  const added = repositories.filter(({ id }) => !installation.repository_ids.includes(id));
  installation.repository_ids.push(...added.map(({ id }) => id));
  const more = {
    repository_selection: 'selected',
    repositories_added: added.map((repository) => reference(site, repository)),
    repositories_removed: [],
    requester: null,
  };
  tellOfInstallation(site, installation, { event: 'installation_repositories', action: 'added', more });
}

interface Told {
  event: string;
  action: string;
  more: Json;
}

function tellOfInstallation(site: Site, installation: Installation, { event, action, more }: Told): void {
  if (site.store.app(installation.app_id).webhook_url === '') return;
  const payload = { installation: installationPayload(site, installation), ...more };
  site.emit({ event, action, installation, sender_id: senderFor(site, installation), payload });
}

/** An organisation does nothing itself; its App's owner stands for whoever clicked. */
function senderFor(site: Site, installation: Installation): number {
  return site.store.app(installation.app_id).owner_id;
}

function reference(site: Site, repository: Repository): Json {
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(site, repository),
    private: repository.private,
  };
}
