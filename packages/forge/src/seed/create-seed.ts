import { randomBytes } from 'node:crypto';
import {
  actionsToken,
  addAccount,
  coverRepositories,
  createApp,
  installApp,
  issueToken,
  type NewApp,
  setPermissions,
} from '../apps.ts';
import { addAttachment } from '../attachments.ts';
import { type Context, gitOf, timestamp } from '../context.ts';
import type { ActivityFault, Fault, Signing } from '../faults.ts';
import { commitFiles, copyHistory, createGitRepository, type FileContent } from '../git/create.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { App, DeployKey, Permissions, Repository, Role, Settings, WorkflowRun } from '../model.ts';
import { isGranted, revokeGrant, userToken } from '../oauth/grants.ts';
import { requestAction } from '../operations/checks.ts';
import { recordActivity } from '../operations/pushes.ts';
import { atLeast, roleOf } from '../permissions.ts';
import { seedChanges } from './changes.ts';
import { accountCalled, repositoryCalled, teamCalled } from './lookup.ts';
import { seedRules } from './rules.ts';

/** What an administrator does on GitHub's website. Repositories are named `owner/name`. */
export type Seed = ReturnType<typeof createSeed>;

export function createSeed(context: Context) {
  const { faults } = context;
  const repository = (name: string) => repositoryCalled(context, name);
  return {
    ...seedPeople(context),
    ...seedRepositories(context),
    ...seedInstallations(context),
    ...seedRules(context),
    settings: (name: string, settings: Partial<Settings>) =>
      void Object.assign(repository(name).settings, settings),
    /** Uploads a file; returns its address, for an image in a text. */
    addAttachment: (type: string, content: Uint8Array) => addAttachment(context, type, content),
    fault: (fault: Fault) => faults.add(fault),
    /** Hides, delays or changes entries of a repository's activity; `clearFaults` ends it. */
    showActivity: (name: string, shown: ActivityFault) => faults.showActivity(repository(name).id, shown),
    /** Whether the server signs the commits of Apps from now on; `clearFaults` ends it. */
    setSigning: (signing: Signing) => {
      faults.signing = signing;
    },
    /** Whether the answer of a sign-in has `iss` from now on; `clearFaults` ends it. */
    setNamesIssuer: (names: boolean) => {
      faults.namesIssuer = names;
    },
    clearFaults: () => faults.clear(),
    /** Clicks a button of a check run, which only people with write access see. */
    clickCheckRunAction: (name: string, id: number, click: { identifier: string; login: string }) =>
      clickAction(context, repository(name), { id, ...click }),
    /** Sets what is known of a run of a workflow on the default branch; one that is new begins with this. */
    setWorkflowRun: (name: string, run: KnownRun) => setWorkflowRun(context, repository(name), run),
  };
}

/** Accounts, their tokens and their roles. */
function seedPeople(context: Context) {
  return {
    /** Returns a personal access token of the user. */
    addUser(login: string): string {
      return issueToken(context, 'ghp', { account_id: addAccount(context, login, 'User').id }).token;
    },
    addOrganization: (login: string) => void addAccount(context, login, 'Organization'),
    /** A team, named `organization/slug`; reviews can be requested from it in these repositories. */
    addTeam(name: string, { parent, repositories = [] }: { parent?: string; repositories?: string[] } = {}) {
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
    setMember(name: string, login: string, is: boolean) {
      const team = teamCalled(context, name);
      const { id } = accountCalled(context, login);
      team.member_ids = [...team.member_ids.filter((member) => member !== id), ...(is ? [id] : [])];
    },
    setCollaborator(name: string, login: string, role: Role | 'none') {
      const { collaborators } = repositoryCalled(context, name);
      const id = String(accountCalled(context, login).id);
      if (role === 'none') delete collaborators[id];
      else collaborators[id] = role;
    },
    /** Returns a token with which an App acts as a person who authorized it ("user-to-server"). */
    userToken: ({ id }: { id: number }, login: string) =>
      userToken(context, context.store.app(id), accountCalled(context, login)).token,
    /** The person takes back in their settings that the App may act as them, which the App is told. */
    revokeAuthorization({ id }: { id: number }, login: string) {
      const app = context.store.app(id);
      const person = accountCalled(context, login);
      if (!isGranted(context, app, person)) throw new Error(`${login} has not authorized ${app.slug}`);
      revokeGrant(context, app, person);
    },
    /** Who is signed in from now on when a browser comes to sign in at an App; null: nobody. */
    signsIn(login: string | null) {
      context.signedIn = login === null ? null : accountCalled(context, login);
    },
  };
}

/** Repositories with their first files. */
function seedRepositories(context: Context) {
  return {
    async addRepository(wanted: NewRepository): Promise<Repository> {
      const repository = newRepository(context, wanted);
      await createGitRepository(context, repository);
      if ('history' in wanted) await copy(context, repository, wanted.history);
      else await commit(context, repository, { files: wanted.files, message: 'Initial commit' });
      context.store.data.repositories.push(repository);
      return repository;
    },
    /** Adds a commit to the default branch without sending a webhook; returns its SHA. */
    commit: (name: string, files: Record<string, FileContent>, message = 'Update') =>
      commit(context, repositoryCalled(context, name), { files, message }),
    ...seedChanges(context),
    /** A key that can be listed; pushes by SSH are not possible. */
    addDeployKey(name: string, login: string, wanted: Pick<DeployKey, 'title' | 'read_only'>) {
      repositoryCalled(context, name).deploy_keys.push({
        ...wanted,
        id: context.store.id(),
        key: `ssh-ed25519 ${randomBytes(32).toString('base64')}`,
        added_by_id: accountCalled(context, login).id,
        created_at: timestamp(context),
      });
    },
  };
}

async function copy(context: Context, repository: Repository, folder: string): Promise<void> {
  const after = await copyHistory(context, repository, folder);
  const ref = `refs/heads/${repository.default_branch}`;
  const pusher = { context, repository, sender_id: repository.owner_id };
  await recordActivity(pusher, { ref, before: zeroSha, after });
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
  await recordActivity({ context, repository, sender_id: repository.owner_id }, { ref, before, after });
  return after;
}

export type NewRepository = {
  owner: string;
  name: string;
  private?: boolean;
  description?: string;
  default_branch?: string;
} & (
  | { files: Record<string, FileContent> }
  /** A folder with a repository: the default branch begins with what is checked out there. */
  | { history: string }
);

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
    createApp: (wanted: NewApp) => createApp(context, wanted),
    setWebhook({ id }: { id: number }, { url, secret }: { url?: string; secret?: string }) {
      const app = context.store.app(id);
      app.webhook_url = url ?? app.webhook_url;
      app.webhook_secret = secret ?? app.webhook_secret;
    },
    /** Where people are sent back to after they signed in, and whether the App's tokens of people expire. */
    setSignIn: ({ id }: { id: number }, wanted: Partial<Pick<App, 'callback_urls' | 'user_tokens_expire'>>) =>
      void Object.assign(context.store.app(id), wanted),
    /** Returns the installation's id. */
    installApp: ({ id }: { id: number }, names: string[]) =>
      installApp(context, context.store.app(id), named(names)).id,
    addToInstallation: (id: number, names: string[]) =>
      coverRepositories(context, context.store.installation(id), named(names)),
    setInstallationPermissions: (id: number, permissions: Permissions) =>
      setPermissions(context, context.store.installation(id), permissions),
    /** Returns a GITHUB_TOKEN of the GitHub Actions app, valid for `minutes`. */
    actionsToken: (name: string, permissions: Permissions, minutes = 60) =>
      actionsToken(context, repositoryCalled(context, name), { permissions, minutes }),
    /** Ends all tokens of an installation, as GitHub does with one that has leaked. */
    revokeTokens(id: number) {
      const { data } = context.store;
      data.tokens = data.tokens.filter(({ installation_id }) => installation_id !== id);
    },
  };
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
  if (!run || !requestAction({ context, sender_id: account.id }, run, identifier)) {
    throw new Error(`could not click ${identifier}: check run ${id} shows no such button`);
  }
}

type KnownRun = Pick<WorkflowRun, 'id' | 'status'> &
  Partial<Pick<WorkflowRun, 'run_attempt' | 'conclusion' | 'event'>>;

/** Sets what is known of a run of a workflow; one that is new is for the head of the default branch. */
async function setWorkflowRun(context: Context, repository: Repository, wanted: KnownRun): Promise<void> {
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
