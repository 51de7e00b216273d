import { type Context, fullName } from '../context.ts';
import type { Activity, BranchProtection, Json, Repository, Ruleset } from '../model.ts';
import { accountById, accountPayload } from './accounts.ts';
import { apiLink, hrefs, htmlLink, nodeId } from './links.ts';

/** A full repository, as in the API and in webhooks. */
export function repositoryPayload(context: Context, repository: Repository): Json {
  const open = context.store.issues(repository).filter((issue) => issue.state === 'open').length;
  return {
    ...identity(context, repository),
    ...addresses(context, repository),
    ...features(),
    size: 1,
    open_issues_count: open,
    open_issues: open,
    created_at: repository.created_at,
    updated_at: repository.updated_at,
    pushed_at: repository.pushed_at,
  };
}

/** The repository of a pull request, as in check runs. */
export function repositoryReference(context: Context, repository: Repository): Json {
  return { id: repository.id, url: apiLink(context, repository), name: repository.name };
}

/** The repository with the fields that `GET /repos/{owner}/{repo}` adds. */
export function repositoryDetails(context: Context, repository: Repository): Json {
  const { allow_auto_merge, allow_merge_commit, allow_squash_merge, allow_rebase_merge } =
    repository.settings;
  return {
    ...repositoryPayload(context, repository),
    network_count: 0,
    subscribers_count: 0,
    ...{ allow_auto_merge, allow_merge_commit, allow_squash_merge, allow_rebase_merge },
  };
}

function identity(context: Context, repository: Repository): Json {
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(context, repository),
    owner: accountPayload(context, context.store.account(repository.owner_id)),
    private: repository.private,
    visibility: repository.private ? 'private' : 'public',
    description: repository.description,
    fork: false,
    homepage: null,
    language: null,
    license: null,
    mirror_url: null,
    topics: [],
    default_branch: repository.default_branch,
  };
}

function features(): Json {
  return {
    archived: false,
    disabled: false,
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    is_template: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
  };
}

/** URL templates by field, relative to the repository's URL. */
const templates: Record<string, string> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
};

function addresses(context: Context, repository: Repository): Json {
  const html = htmlLink(context, repository);
  const api = apiLink(context, repository);
  const { host } = new URL(context.url);
  return {
    url: api,
    html_url: html,
    clone_url: `${html}.git`,
    svn_url: html,
    git_url: `git://${host}/${fullName(context, repository)}.git`,
    ssh_url: `ssh://git@${host}/${fullName(context, repository)}.git`,
    ...Object.fromEntries(Object.entries(templates).map(([field, path]) => [field, api + path])),
  };
}

export function rulesetPayload(context: Context, repository: Repository, ruleset: Ruleset): Json {
  const { include, bypass_actors: _, ...shown } = ruleset;
  return {
    ...shown,
    target: 'branch',
    source_type: 'Repository',
    source: fullName(context, repository),
    enforcement: 'active',
    node_id: nodeId('RepositoryRuleset', ruleset.id),
    _links: hrefs({
      self: apiLink(context, repository, `/rulesets/${ruleset.id}`),
      html: htmlLink(context, repository, `/rules/${ruleset.id}`),
    }),
    conditions: { ref_name: { include: include.map(fullPattern), exclude: [] } },
  };
}

/** GitHub stores patterns of branches with their prefix. */
function fullPattern(pattern: string): string {
  return /^(refs\/|~)/.test(pattern) ? pattern : `refs/heads/${pattern}`;
}

/** The rules of a ruleset as in the list of all rules of a branch. */
export function branchRules(context: Context, repository: Repository, { id, rules }: Ruleset): Json[] {
  const from = { ruleset_source_type: 'Repository', ruleset_source: fullName(context, repository) };
  return rules.map((rule) => ({ ...rule, ...from, ruleset_id: id }));
}

/** What everybody who can read a branch sees of its classic protection. */
export function protectionSummary(protection: BranchProtection | undefined): Json {
  const checks = protection?.required_status_checks.checks ?? [];
  const level = protection?.enforce_admins ? 'everyone' : 'non_admins';
  return {
    enabled: protection !== undefined,
    required_status_checks: {
      enforcement_level: protection ? level : 'off',
      contexts: checks.map(({ context }) => context),
      checks,
    },
  };
}

/** The whole classic protection, for administrators. */
export function protectionPayload(
  context: Context,
  repository: Repository,
  { branch, protection }: { branch: string; protection: BranchProtection },
): Json {
  const url = apiLink(context, repository, `/branches/${branch}/protection`);
  const signing = protection.required_signatures === true;
  const { strict, checks } = protection.required_status_checks;
  const contexts = checks.map(({ context: name }) => name);
  const at = `${url}/required_status_checks`;
  return {
    url,
    required_status_checks: { url: at, strict, contexts, contexts_url: `${at}/contexts`, checks },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforce_admins },
    required_signatures: { url: `${url}/required_signatures`, enabled: signing },
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: false },
  };
}

export function activityPayload(
  context: Context,
  { repository_id: _, actor_id, ...activity }: Activity,
): Json {
  return { ...activity, node_id: nodeId('Push', activity.id), actor: accountById(context, actor_id) };
}
