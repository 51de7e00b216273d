import { randomBytes } from 'node:crypto';
import {
  actionsToken,
  addAccount,
  coverRepositories,
  createApp,
  installApp,
  setPermissions,
  userToken,
} from '../apps.ts';
import { addAttachment } from '../attachments.ts';
import { type Context, gitOf, timestamp } from '../context.ts';
import { commitFiles, copyHistory, createGitRepository } from '../git/create.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Repository } from '../model.ts';
import { requestAction } from '../operations/checks.ts';
import { recordActivity } from '../operations/pushes.ts';
import { atLeast, roleOf } from '../permissions.ts';
import { accountCalled, repositoryCalled, teamCalled } from './lookup.ts';
import { seedRules } from './rules.ts';
import type { NewRepository, Seed } from './seed.ts';

export function createSeed(context: Context): Seed {
  const { faults } = context;
  const repository = (name: string) => repositoryCalled(context, name);
  return {
    ...seedPeople(context),
    ...seedRepositories(context),
    ...seedInstallations(context),
    ...seedRules(context),
    settings: (name, settings) => void Object.assign(repository(name).settings, settings),
    addAttachment: (type, content) => addAttachment(context, type, content),
    fault: (fault) => faults.add(fault),
    showActivity: (name, shown) => faults.showActivity(repository(name).id, shown),
    clearFaults: () => faults.clear(),
    clickCheckRunAction: (name, id, click) => clickAction(context, repository(name), { id, ...click }),
    setWorkflowRun: (name, run) => setWorkflowRun(context, repository(name), run),
  };
}

/** Accounts, their tokens and their roles. */
function seedPeople(context: Context) {
  return {
    addUser(login) {
      const account = addAccount(context, login, 'User');
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      const everywhere = { installation_id: null, permissions: null, repository_ids: null, expires_at: null };
      context.store.data.tokens.push({ token, account_id: account.id, ...everywhere });
      return token;
    },
    addOrganization: (login) => void addAccount(context, login, 'Organization'),
    addTeam(name, { parent, repositories = [] } = {}) {
      const [organization = '', slug = ''] = name.split('/');
      context.store.data.teams.push({
        id: context.store.id(),
        organization_id: accountCalled(context, organization).id,
        name: slug,
        slug,
        parent_id: parent === undefined ? null : teamCalled(context, parent).id,
        member_ids: [],
        repository_ids: repositories.map((one) => repositoryCalled(context, one).id),
        created_at: timestamp(context),
      });
    },
    setMember(name, login, is) {
      const team = teamCalled(context, name);
      const { id } = accountCalled(context, login);
      team.member_ids = [...team.member_ids.filter((member) => member !== id), ...(is ? [id] : [])];
    },
    setCollaborator(name, login, role) {
      const { collaborators } = repositoryCalled(context, name);
      const id = String(accountCalled(context, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
    userToken: ({ id }, login) => userToken(context, context.store.app(id), accountCalled(context, login)),
  } satisfies Partial<Seed>;
}

/** Repositories with their first files. */
function seedRepositories(context: Context) {
  return {
    async addRepository(wanted) {
      const repository = newRepository(context, wanted);
      await createGitRepository(context, repository);
      if ('history' in wanted) await copy(context, repository, wanted.history);
      else await commit(context, repository, { files: wanted.files, message: 'Initial commit' });
      context.store.data.repositories.push(repository);
      return repository;
    },
    commit: (name, files, message = 'Update') =>
      commit(context, repositoryCalled(context, name), { files, message }),
    addDeployKey(name, login, wanted) {
      repositoryCalled(context, name).deploy_keys.push({
        ...wanted,
        id: context.store.id(),
        key: `ssh-ed25519 ${randomBytes(32).toString('base64')}`,
        added_by_id: accountCalled(context, login).id,
        created_at: timestamp(context),
      });
    },
  } satisfies Partial<Seed>;
}

async function copy(context: Context, repository: Repository, folder: string): Promise<void> {
  const after = await copyHistory(context, repository, folder);
  const ref = `refs/heads/${repository.default_branch}`;
  await recordActivity(context, repository, { ref, before: zeroSha, after, sender_id: repository.owner_id });
}

/** Commits to the default branch as the repository's owner, without a webhook. */
async function commit(
  context: Context,
  repository: Repository,
  wanted: Parameters<typeof commitFiles>[2],
): Promise<string> {
  const ref = `refs/heads/${repository.default_branch}`;
  const before = (await gitOf(context, repository).ref(ref)) ?? zeroSha;
  const after = await commitFiles(context, repository, wanted);
  await recordActivity(context, repository, { ref, before, after, sender_id: repository.owner_id });
  return after;
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
    rulesets: [],
    protections: [],
    deploy_keys: [],
    settings: {
      drafts_supported: true,
      actions_may_create_pull_requests: false,
      allow_auto_merge: true,
      allow_merge_commit: true,
      allow_squash_merge: true,
      allow_rebase_merge: true,
    },
    labels: [],
    next_number: 1,
    created_at: now,
    updated_at: now,
    pushed_at: now,
  };
}

/** Apps, their webhooks, and what they may do where. */
function seedInstallations(context: Context) {
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
    revokeTokens(id) {
      const { data } = context.store;
      data.tokens = data.tokens.filter(({ installation_id }) => installation_id !== id);
    },
  } satisfies Partial<Seed>;
}

/** Clicks a button of a check run, which only people with write access see. */
function clickAction(
  context: Context,
  repository: Repository,
  { id, identifier, login }: { id: number; identifier: string; login: string },
): void {
  const run = context.store.data.check_runs.find(
    (one) => one.id === id && one.repository_id === repository.id,
  );
  const account = accountCalled(context, login);
  if (!atLeast(roleOf(account, repository), 'write')) {
    throw new Error(`could not click ${identifier}: ${login} has no write access and sees no buttons`);
  }
  if (!run || !requestAction(context, run, { identifier, sender_id: account.id })) {
    throw new Error(`could not click ${identifier}: check run ${id} shows no such button`);
  }
}

/** Sets what is known of a run of a workflow; one that is new is for the head of the default branch. */
export async function setWorkflowRun(
  context: Context,
  repository: Repository,
  wanted: Parameters<Seed['setWorkflowRun']>[1],
): Promise<void> {
  const { workflow_runs: runs } = context.store.data;
  const now = timestamp(context);
  const known = runs.find(({ id, repository_id }) => id === wanted.id && repository_id === repository.id);
  if (known) {
    Object.assign(known, wanted, { updated_at: now });
    return;
  }
  const head_sha = await gitOf(context, repository).ref(`refs/heads/${repository.default_branch}`);
  if (head_sha === undefined) throw new Error(`the repository ${repository.name} has no commit`);
  const usual = { run_attempt: 1, conclusion: null, event: 'workflow_dispatch', path };
  const at = { repository_id: repository.id, head_sha, created_at: now, updated_at: now };
  runs.push({ ...usual, ...at, ...wanted });
}

const path = '.github/workflows/workflow.yml';
