import { randomBytes } from 'node:crypto';
import { addAccount, deleteAccount } from './accounts.ts';
import { actionsToken } from './actions-token.ts';
import { coverRepositories, createApp, installApp, type NewApp, setPermissions } from './apps.ts';
import { type Context, timestamp } from './context.ts';
import type { Fault, Faults } from './faults.ts';
import { commitFiles, createGitRepository, type FileContent } from './git/create.ts';
import type { App, Dispatch, Permissions, Repository, Role, Rule, Settings } from './model.ts';
import { deleteVersion } from './operations/edits.ts';
import { checkRunEventPayload } from './payloads/checks.ts';
import { atLeast, roleOf } from './permissions.ts';

export interface NewRepository {
  owner: string;
  name: string;
  private?: boolean;
  files: Record<string, FileContent>;
  description?: string;
  default_branch?: string;
}

/** What an administrator does on GitHub's website. Repositories are named `owner/name`. */
export interface Seed {
  /** Returns a personal access token of the user. */
  addUser(login: string, options?: { type?: 'User' | 'Bot' }): string;
  /** The user's texts stay, without an author. */
  deleteUser(login: string): void;
  addOrganization(login: string): void;
  addRepository(wanted: NewRepository): Promise<Repository>;
  /** Adds a commit to the default branch without sending a webhook; returns its SHA. */
  commit(repository: string, files: Record<string, FileContent>, message?: string): Promise<string>;
  setCollaborator(repository: string, login: string, role: Role | 'none'): void;
  createApp(wanted: NewApp): App;
  setWebhook(app: { id: number }, webhook: { url?: string; secret?: string }): void;
  /** Returns the installation's id. */
  installApp(app: { id: number }, repositories: string[]): number;
  addToInstallation(installation_id: number, repositories: string[]): void;
  setInstallationPermissions(installation_id: number, permissions: Permissions): void;
  protect(repository: string, pattern: string, rule: Omit<Rule, 'pattern'>): void;
  unprotect(repository: string): void;
  settings(repository: string, settings: Partial<Settings>): void;
  /** Returns a GITHUB_TOKEN of the GitHub Actions app, valid for `minutes` (default 60). */
  actionsToken(repository: string, permissions: Permissions, minutes?: number): string;
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Clicks a check run's button, which only people with write access see. */
  clickCheckRunAction(
    repository: string,
    check_run_id: number,
    click: { identifier: string; login: string },
  ): void;
  /** Deletes one version of a text from its history, by the version's node id. */
  deleteEdit(node_id: string, login: string): void;
  dispatches(): Dispatch[];
}

export function createSeed(context: Context, faults: Faults): Seed {
  const repository = (name: string) => repositoryCalled(context, name);
  return {
    ...people(context),
    ...repositories(context),
    ...installations(context),
    protect: (name, pattern, rule) => void repository(name).rules.push({ pattern, ...rule }),
    unprotect: (name) => void repository(name).rules.splice(0),
    settings: (name, settings) => void Object.assign(repository(name).settings, settings),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    clickCheckRunAction: (name, id, click) => clickAction(context, repository(name), { id, ...click }),
    deleteEdit: (id, login) => deleteVersion(context, id, accountCalled(context, login).id),
    dispatches: () => [...context.store.data.dispatches],
  };
}

function people(
  context: Context,
): Pick<Seed, 'addUser' | 'deleteUser' | 'addOrganization' | 'setCollaborator'> {
  return {
    addUser(login, { type = 'User' } = {}) {
      const account = addAccount(context, login, type);
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      const everywhere = { installation_id: null, permissions: null, repository_ids: null, expires_at: null };
      context.store.data.tokens.push({ token, account_id: account.id, ...everywhere });
      return token;
    },
    deleteUser: (login) => deleteAccount(context, accountCalled(context, login)),
    addOrganization: (login) => void addAccount(context, login, 'Organization'),
    setCollaborator(name, login, role) {
      const { collaborators } = repositoryCalled(context, name);
      const id = String(accountCalled(context, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
  };
}

function repositories(context: Context): Pick<Seed, 'addRepository' | 'commit'> {
  return {
    async addRepository(wanted) {
      const repository = newRepository(context, wanted);
      await createGitRepository(context, repository);
      await commitFiles(context, repository, { files: wanted.files, message: 'Initial commit' });
      context.store.data.repositories.push(repository);
      return repository;
    },
    commit: (name, files, message = 'Update') =>
      commitFiles(context, repositoryCalled(context, name), { files, message }),
  };
}

type Installing =
  | 'createApp'
  | 'setWebhook'
  | 'installApp'
  | 'addToInstallation'
  | 'setInstallationPermissions';

function installations(context: Context): Pick<Seed, Installing | 'actionsToken'> {
  const named = (names: string[]) => names.map((name) => repositoryCalled(context, name));
  return {
    createApp: (wanted) => createApp(context, wanted),
    setWebhook({ id }, { url, secret }) {
      const app = context.store.app(id);
      app.webhook_url = url ?? app.webhook_url;
      app.webhook_secret = secret ?? app.webhook_secret;
    },
    installApp: ({ id }, names) => installApp(context, context.store.app(id), named(names)).id,
    addToInstallation: (id, names) =>
      coverRepositories(context, context.store.installation(id), named(names)),
    setInstallationPermissions: (id, permissions) =>
      setPermissions(context, context.store.installation(id), permissions),
    actionsToken: (name, permissions, minutes = 60) =>
      actionsToken(context, repositoryCalled(context, name), { permissions, minutes }),
  };
}

function newRepository(context: Context, wanted: NewRepository): Repository {
  const now = timestamp(context);
  return {
    id: context.store.id(),
    owner_id: accountCalled(context, wanted.owner).id,
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

function clickAction(
  context: Context,
  repository: Repository,
  { id, identifier, login }: { id: number; identifier: string; login: string },
): void {
  const run = context.store.data.check_runs.find(
    (one) => one.id === id && one.repository_id === repository.id,
  );
  const account = accountCalled(context, login);
  if (!run?.actions.some((action) => action.identifier === identifier)) {
    throw new Error(`could not click ${identifier}: check run ${id} shows no such button`);
  }
  if (!atLeast(roleOf(account, repository), 'write')) {
    throw new Error(`could not click ${identifier}: ${login} has no write access and sees no buttons`);
  }
  const payload = { check_run: checkRunEventPayload(context, run), requested_action: { identifier } };
  const to = { name: 'check_run', action: 'requested_action', app_id: run.app_id };
  context.emit({ ...to, repository, sender_id: account.id, payload });
}

function repositoryCalled(context: Context, name: string): Repository {
  const [owner = '', short = ''] = name.split('/');
  const repository = context.store.repositoryNamed(owner, short);
  if (!repository) throw new Error(`there is no repository ${name}`);
  return repository;
}

function accountCalled(context: Context, login: string) {
  const account = context.store.accountNamed(login);
  if (!account) throw new Error(`there is no account ${login}`);
  return account;
}
