import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, unless } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** What GitHub demands of changes to a branch, by rulesets and by its protection. */
export interface BranchRules {
  /** The types of the active rules, such as `pull_request`; protection is not among them. */
  readonly types: ReadonlySet<string>;
  readonly checks: readonly RequiredCheck[];
  /** A pull request must contain the newest commit of its base. */
  readonly strict: boolean;
  /** The ids of the rulesets that these rules are from. */
  readonly rulesets: readonly number[];
  /** Its protection does not hold for administrators. */
  readonly spares_admins: boolean;
}

/** A check that must succeed before a pull request can be merged. */
interface RequiredCheck {
  readonly name: string;
  /** The App that must report it; null: a status or check run of that name counts, whoever made it. */
  readonly app_id: number | null;
  readonly by: 'ruleset' | 'protection';
}

/** Rules that a push to a branch would violate, or bypass if its author may. */
const guarding = ['pull_request', 'required_status_checks', 'update', 'merge_queue'];

/** A branch that does not exist has no protection, but there may be rules for its name. */
export async function readBranchRules(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): Promise<BranchRules> {
  const place = { ...repoParams(where), branch, per_page: 100 };
  const [rules = [], protection] = await Promise.all([
    // Repositories on some plans, and older Enterprise Servers, have no rules.
    unlessMissing(octokit.paginate(octokit.rest.repos.getBranchRules, place)),
    readProtection(octokit, where, branch),
  ]);
  const required = rules.flatMap((rule) =>
    rule.type === 'required_status_checks' ? (rule.parameters ?? []) : [],
  );
  const checks = required.flatMap(({ required_status_checks }) => required_status_checks);
  const byRuleset = checks.map(({ context: name, integration_id }) => {
    return { name, app_id: integration_id ?? null, by: 'ruleset' } as const;
  });
  return {
    types: new Set(rules.map(({ type }) => type)),
    checks: [...byRuleset, ...protection.checks],
    strict: protection.strict || required.some((rule) => rule.strict_required_status_checks_policy),
    rulesets: [...new Set(rules.flatMap(({ ruleset_id }) => ruleset_id ?? []))],
    spares_admins: protection.spares_admins,
  };
}

/**
 * Whether commits that get onto a branch must be signed. Its protection tells that only to GraphQL, and only
 * of a branch that exists.
 */
export async function demandsSignatures(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): Promise<boolean> {
  const place = { ...repoParams(where), branch, per_page: 100 };
  const [rules = [], { repository }] = await Promise.all([
    unlessMissing(octokit.paginate(octokit.rest.repos.getBranchRules, place)),
    octokit.graphql<Updating>(updating, { ...repoParams(where), ref: `refs/heads/${branch}` }),
  ]);
  const isProtected = repository.ref?.refUpdateRule?.requiresSignatures === true;
  return isProtected || rules.some(({ type }) => type === 'required_signatures');
}

const updating = `query($owner: String!, $repo: String!, $ref: String!) {
  repository(owner: $owner, name: $repo) { ref(qualifiedName: $ref) { refUpdateRule { requiresSignatures } } }
}`;

interface Updating {
  readonly repository: {
    readonly ref: { readonly refUpdateRule: { readonly requiresSignatures: boolean } | null } | null;
  };
}

/** Whether changes to the branch are meant to come through pull requests or checks only. */
export function isGuarded({ types, checks }: BranchRules): boolean {
  return checks.length > 0 || guarding.some((type) => types.has(type));
}

/** Whether nothing can be merged unless our own check run of that name succeeds. */
export function requiresOwnCheck({ checks }: BranchRules, name: string, { app }: Own): boolean {
  return 'id' in app && checks.some((check) => check.name === name && check.app_id === app.id);
}

type Protection = Pick<BranchRules, 'checks' | 'strict' | 'spares_admins'>;

const unprotected: Protection = { checks: [], strict: false, spares_admins: false };

/** Without the permission to administer the repository, this much of its protection can be read. */
async function readProtection(octokit: Octokit, where: RepositoryRef, branch: string): Promise<Protection> {
  const found = await unlessMissing(octokit.rest.repos.getBranch({ ...repoParams(where), branch }));
  const required = found?.data.protection?.required_status_checks;
  if (required === undefined || required.enforcement_level === 'off') return unprotected;
  return {
    checks: required.checks.map(({ context, app_id }) => ({
      name: context,
      // -1 is how a client says that any App may report it.
      app_id: app_id === -1 ? null : app_id,
      by: 'protection',
    })),
    strict: required.strict === true,
    spares_admins: required.enforcement_level === 'non_admins',
  };
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return unless(asked, 404).catch((fault: unknown) => {
    const needsOtherPlan = fault instanceof GitHubFault && /upgrade to/i.test(fault.reason);
    if (!needsOtherPlan || fault.status !== 403) throw fault;
    return undefined;
  });
}
