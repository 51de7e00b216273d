import { randomBytes } from 'node:crypto';
import { addAccount, coverRepositories, createApp, installApp, type NewApp, setPermissions } from './apps.ts';
import type { Fault, Faults } from './faults.ts';
import { commitFiles, createGitRepository, type FileContent } from './git/create.ts';
import type { App, Dispatch, Installation, Permissions, Repository, Role, Rule, Settings } from './model.ts';
import { checkRunEventPayload } from './payloads/checks.ts';
import { atLeast, roleOf } from './permissions.ts';
import { type Site, timestamp } from './site.ts';

export interface NewRepository {
  owner: string;
  name: string;
  private?: boolean;
  files: Record<string, FileContent>;
  description?: string;
  default_branch?: string;
}

/** What an administrator does in GitHub's pages. Repositories are named `owner/name`. */
export interface Seed {
  /** The person's (or machine user's) personal access token. */
  addUser(login: string, options?: { type?: 'User' | 'Bot' }): string;
  addOrganization(login: string): void;
  addRepository(wanted: NewRepository): Promise<Repository>;
  /** Another commit on the default branch, as an administrator would make it in the browser; no webhook. */
  commit(repository: string, files: Record<string, FileContent>, message?: string): Promise<string>;
  setCollaborator(repository: string, login: string, role: Role | 'none'): void;
  createApp(wanted: NewApp): App;
  setWebhook(app: { id: number }, webhook: { url?: string; secret?: string }): void;
  /** The installation's id. */
  installApp(app: { id: number }, repositories: string[]): number;
  addToInstallation(installation_id: number, repositories: string[]): void;
  setInstallationPermissions(installation_id: number, permissions: Permissions): void;
  protect(repository: string, pattern: string, rule: Omit<Rule, 'pattern'>): void;
  unprotect(repository: string): void;
  settings(repository: string, settings: Partial<Settings>): void;
  /** A GITHUB_TOKEN of the GitHub Actions app, good for `minutes` (default 60). */
  actionsToken(repository: string, permissions: Permissions, minutes?: number): string;
  fault(fault: Fault): void;
  clearFaults(): void;
  /** A click on a check run's button. Only someone with write sees one. */
  clickCheckRunAction(
    repository: string,
    check_run_id: number,
    click: { identifier: string; login: string },
  ): void;
  dispatches(): Dispatch[];
}

export function createSeed(site: Site, faults: Faults): Seed {
  const repository = (name: string) => repositoryCalled(site, name);
  return {
    ...people(site),
    ...repositories(site),
    ...installations(site),
    protect: (name, pattern, rule) => void repository(name).rules.push({ pattern, ...rule }),
    unprotect: (name) => void repository(name).rules.splice(0),
    settings: (name, settings) => void Object.assign(repository(name).settings, settings),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    clickCheckRunAction: (name, id, click) => clickAction(site, repository(name), { id, ...click }),
    dispatches: () => [...site.store.data.dispatches],
  };
}

function people(site: Site): Pick<Seed, 'addUser' | 'addOrganization' | 'setCollaborator'> {
  return {
    addUser(login, { type = 'User' } = {}) {
      const account = addAccount(site, login, type);
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      const everywhere = { installation_id: null, permissions: null, repository_ids: null, expires_at: null };
      site.store.data.tokens.push({ token, account_id: account.id, ...everywhere });
      return token;
    },
    addOrganization: (login) => void addAccount(site, login, 'Organization'),
    setCollaborator(name, login, role) {
      const { collaborators } = repositoryCalled(site, name);
      const id = String(accountCalled(site, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
  };
}

function repositories(site: Site): Pick<Seed, 'addRepository' | 'commit'> {
  return {
    async addRepository(wanted) {
      const repository = newRepository(site, wanted);
      await createGitRepository(site, repository);
      await commitFiles(site, repository, { files: wanted.files, message: 'Initial commit' });
      site.store.data.repositories.push(repository);
      return repository;
    },
    commit: (name, files, message = 'Update') =>
      commitFiles(site, repositoryCalled(site, name), { files, message }),
  };
}

type Installing =
  | 'createApp'
  | 'setWebhook'
  | 'installApp'
  | 'addToInstallation'
  | 'setInstallationPermissions';

function installations(site: Site): Pick<Seed, Installing | 'actionsToken'> {
  const named = (names: string[]) => names.map((name) => repositoryCalled(site, name));
  return {
    createApp: (wanted) => createApp(site, wanted),
    setWebhook({ id }, { url, secret }) {
      const app = site.store.app(id);
      app.webhook_url = url ?? app.webhook_url;
      app.webhook_secret = secret ?? app.webhook_secret;
    },
    installApp: ({ id }, names) => installApp(site, site.store.app(id), named(names)).id,
    addToInstallation: (id, names) => coverRepositories(site, site.store.installation(id), named(names)),
    setInstallationPermissions: (id, permissions) =>
      setPermissions(site, site.store.installation(id), permissions),
    actionsToken: (name, permissions, minutes = 60) =>
      actionsToken(site, repositoryCalled(site, name), { permissions, minutes }),
  };
}

function newRepository(site: Site, wanted: NewRepository): Repository {
  const now = timestamp(site);
  return {
    id: site.store.id(),
    owner_id: accountCalled(site, wanted.owner).id,
    name: wanted.name,
    private: wanted.private ?? false,
    description: wanted.description ?? null,
    default_branch: wanted.default_branch ?? 'main',
    collaborators: {},
    rules: [],
    settings: {
      drafts_supported: true,
      actions_may_create_pull_requests: false,
      allow_auto_merge: true,
      allow_merge_commit: true,
      allow_squash_merge: true,
      allow_rebase_merge: true,
      delete_branch_on_merge: false,
    },
    labels: [],
    next_number: 1,
    created_at: now,
    updated_at: now,
    pushed_at: now,
  };
}

/** GITHUB_TOKEN belongs to an App of GitHub's own, on every repository; it may never write workflows. */
function actionsToken(
  site: Site,
  repository: Repository,
  { permissions, minutes }: { permissions: Permissions; minutes: number },
): string {
  const { workflows: _, ...granted } = permissions;
  const installation = actionsInstallation(site, repository);
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  site.store.data.tokens.push({
    token,
    account_id: site.store.app(installation.app_id).bot_id,
    installation_id: installation.id,
    permissions: { metadata: 'read', ...granted },
    repository_ids: [repository.id],
    expires_at: new Date(site.now().getTime() + minutes * 60_000).toISOString(),
  });
  return token;
}

function actionsInstallation(site: Site, repository: Repository): Installation {
  const app = site.store.data.apps.find(({ slug }) => slug === 'github-actions') ?? actionsApp(site);
  const existing = site.store.data.installations.find(
    (one) => one.app_id === app.id && one.repository_ids.includes(repository.id),
  );
  return existing ?? installApp(site, app, [repository]);
}

function actionsApp(site: Site): App {
  const owner = site.store.accountNamed('github') ?? addAccount(site, 'github', 'Organization');
  const names = ['actions', 'checks', 'contents', 'issues', 'pull_requests', 'statuses'];
  const permissions: Permissions = Object.fromEntries(names.map((name) => [name, 'write']));
  return createApp(site, {
    owner: owner.login,
    slug: 'github-actions',
    name: 'GitHub Actions',
    webhook_url: '',
    webhook_secret: '',
    permissions,
    events: [],
  });
}

function clickAction(
  site: Site,
  repository: Repository,
  { id, identifier, login }: { id: number; identifier: string; login: string },
): void {
  const run = site.store.data.check_runs.find((one) => one.id === id && one.repository_id === repository.id);
  const account = accountCalled(site, login);
  if (!run?.actions.some((action) => action.identifier === identifier)) {
    throw new Error(`could not click ${identifier}: check run ${id} shows no such button`);
  }
  if (!atLeast(roleOf(account, repository), 'write')) {
    throw new Error(`could not click ${identifier}: ${login} has no write access and sees no buttons`);
  }
  const payload = { check_run: checkRunEventPayload(site, run), requested_action: { identifier } };
  const to = { event: 'check_run', action: 'requested_action', app_id: run.app_id };
  site.emit({ ...to, repository, sender_id: account.id, payload });
}

function repositoryCalled(site: Site, name: string): Repository {
  const [owner = '', short = ''] = name.split('/');
  const repository = site.store.repositoryNamed(owner, short);
  if (!repository) throw new Error(`there is no repository ${name}`);
  return repository;
}

function accountCalled(site: Site, login: string) {
  const account = site.store.accountNamed(login);
  if (!account) throw new Error(`there is no account ${login}`);
  return account;
}
