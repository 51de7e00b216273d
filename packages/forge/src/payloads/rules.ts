import { type Context, fullName } from '../context.ts';
import type { Json } from '../json.ts';
import type { BranchProtection, Repository, Ruleset } from '../model.ts';
import { accountById } from './accounts.ts';
import { appById } from './apps.ts';
import { apiLink, hrefs, htmlLink, nodeId } from './links.ts';

/** A ruleset as in lists. */
export function rulesetSummary(context: Context, repository: Repository, ruleset: Ruleset): Json {
  const { id, name, target, enforcement, created_at, updated_at } = ruleset;
  return {
    id,
    name,
    target,
    source_type: 'Repository',
    source: fullName(context, repository),
    enforcement,
    node_id: nodeId('RepositoryRuleset', id),
    _links: hrefs({
      self: apiLink(context, repository, `/rulesets/${id}`),
      html: htmlLink(context, repository, `/rules/${id}`),
    }),
    created_at,
    updated_at,
  };
}

export function rulesetPayload(context: Context, repository: Repository, ruleset: Ruleset): Json {
  const { include, exclude, rules } = ruleset;
  return {
    ...rulesetSummary(context, repository, ruleset),
    conditions: { ref_name: { include: include.map(fullPattern), exclude: exclude.map(fullPattern) } },
    rules,
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
  const checks = protection?.required_status_checks?.checks ?? [];
  const level = protection?.enforce_admins ? 'everyone' : 'non_admins';
  return {
    enabled: protection !== undefined,
    required_status_checks: {
      enforcement_level: protection?.required_status_checks ? level : 'off',
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
  const { required_status_checks: checks, required_pull_request_reviews: reviews, restrictions } = protection;
  return {
    url,
    ...(checks === null
      ? {}
      : { required_status_checks: checksPayload(`${url}/required_status_checks`, checks) }),
    ...(reviews === null
      ? {}
      : {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            require_code_owner_reviews: false,
            ...reviews,
          },
        }),
    ...(restrictions === null
      ? {}
      : { restrictions: restrictionsPayload(context, `${url}/restrictions`, restrictions) }),
    required_signatures: { url: `${url}/required_signatures`, enabled: false },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforce_admins },
    required_linear_history: { enabled: false },
    allow_force_pushes: { enabled: protection.allow_force_pushes },
    allow_deletions: { enabled: protection.allow_deletions },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: false },
    allow_fork_syncing: { enabled: false },
  };
}

function checksPayload(
  url: string,
  { strict, checks }: NonNullable<BranchProtection['required_status_checks']>,
): Json {
  const contexts = checks.map(({ context }) => context);
  return { url, strict, contexts, contexts_url: `${url}/contexts`, checks };
}

function restrictionsPayload(
  context: Context,
  url: string,
  { user_ids, app_ids }: NonNullable<BranchProtection['restrictions']>,
): Json {
  return {
    url,
    users_url: `${url}/users`,
    teams_url: `${url}/teams`,
    apps_url: `${url}/apps`,
    users: user_ids.map((id) => accountById(context, id)),
    teams: [],
    apps: app_ids.map((id) => appById(context, id)),
  };
}
