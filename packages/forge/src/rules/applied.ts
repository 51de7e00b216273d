import picomatch from 'picomatch';
import type { Context } from '../context.ts';
import type {
  BranchProtection,
  BypassActor,
  PullRequestRule,
  Repository,
  Role,
  Ruleset,
  RulesetRule,
} from '../model.ts';
import { atLeast, roleOf } from '../permissions.ts';

/** What somebody wants to do: push to the ref, or merge a pull request into it. */
export type Way = 'push' | 'pull_request';

/** A rule that applies to a ref, where it comes from, and who is exempt. */
export interface AppliedRule {
  rule: RulesetRule;
  source: 'ruleset' | 'protection';
  exempts(account_id: number, way: Way): boolean;
}

/** All rules that apply to a full ref: those of every matching ruleset, and of the classic protection. */
export function rulesOn(context: Context, repository: Repository, ref: string): AppliedRule[] {
  const ofRulesets = rulesetsOn(repository, ref).flatMap((ruleset) =>
    ruleset.rules.map((rule) => ({
      rule,
      source: 'ruleset' as const,
      exempts: (id: number, way: Way) => bypasses(context, repository, { ruleset, account_id: id, way }),
    })),
  );
  const protection = protectionOn(repository, ref);
  return protection ? [...ofRulesets, ...protectionRules(context, repository, protection)] : ofRulesets;
}

/** The active rulesets whose conditions include the ref. */
export function rulesetsOn(repository: Repository, ref: string): Ruleset[] {
  return repository.rulesets.filter(
    ({ enforcement, target, include, exclude }) =>
      enforcement === 'active' &&
      ref.startsWith('refs/tags/') === (target === 'tag') &&
      include.some((pattern) => matches(repository, pattern, ref)) &&
      !exclude.some((pattern) => matches(repository, pattern, ref)),
  );
}

function matches(repository: Repository, pattern: string, ref: string): boolean {
  if (pattern === '~ALL') return /^refs\/(heads|tags)\//.test(ref);
  if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${repository.default_branch}`;
  return coversRef(pattern, ref);
}

/** Only one classic protection applies: that of exactly this branch, else the oldest that matches. */
export function protectionOn(repository: Repository, ref: string): BranchProtection | undefined {
  const exact = repository.protections.find(({ pattern }) => ref === `refs/heads/${pattern}`);
  return exact ?? repository.protections.find(({ pattern }) => coversRef(pattern, ref));
}

function protectionRules(
  context: Context,
  repository: Repository,
  protection: BranchProtection,
): AppliedRule[] {
  const isFreeAdmin = (id: number) =>
    !protection.enforce_admins && roleOf(context.store.account(id), repository) === 'admin';
  const rules = rulesOf(protection).map((rule) => ({
    rule,
    source: 'protection' as const,
    exempts: isFreeAdmin,
  }));
  const { restrictions } = protection;
  if (restrictions === null) return rules;
  const { user_ids, app_ids } = restrictions;
  const ids = new Set([...user_ids, ...app_ids.map((id) => context.store.app(id).bot_id)]);
  const rule = { type: 'update', parameters: { update_allows_fetch_and_merge: false } } as const;
  return [...rules, { rule, source: 'protection', exempts: (id) => ids.has(id) || isFreeAdmin(id) }];
}

/** The rules of a ruleset that would do the same. */
function rulesOf(protection: BranchProtection): RulesetRule[] {
  const { required_status_checks: checks, required_pull_request_reviews: reviews } = protection;
  return [
    ...(protection.allow_force_pushes ? [] : [{ type: 'non_fast_forward' } as const]),
    ...(protection.allow_deletions ? [] : [{ type: 'deletion' } as const]),
    ...(checks === null ? [] : [checkRule(checks)]),
    ...(reviews === null ? [] : [reviewRule(reviews)]),
  ];
}

function checkRule({ strict, checks }: NonNullable<BranchProtection['required_status_checks']>): RulesetRule {
  return {
    type: 'required_status_checks',
    parameters: {
      strict_required_status_checks_policy: strict,
      do_not_enforce_on_create: true,
      required_status_checks: checks.map(({ context, app_id }) => ({
        context,
        ...(app_id === null ? {} : { integration_id: app_id }),
      })),
    },
  };
}

function reviewRule(
  reviews: NonNullable<BranchProtection['required_pull_request_reviews']>,
): PullRequestRule {
  return {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: reviews.required_approving_review_count,
      dismiss_stale_reviews_on_push: reviews.dismiss_stale_reviews,
      require_last_push_approval: reviews.require_last_push_approval,
      require_code_owner_review: false,
      required_review_thread_resolution: false,
    },
  };
}

interface Attempt {
  ruleset: Ruleset;
  account_id: number;
  way: 'push' | 'pull_request';
}

/** Whether the account is on the ruleset's bypass list for this. */
export function bypasses(
  context: Context,
  repository: Repository,
  { ruleset, account_id, way }: Attempt,
): boolean {
  return ruleset.bypass_actors.some(
    (actor) =>
      (actor.bypass_mode !== 'pull_request' || way === 'pull_request') &&
      isActor(context, repository, { actor, account_id }),
  );
}

/** As GitHub tells it to a caller: may they bypass this ruleset, always or only in pull requests? */
export function bypassOf(
  context: Context,
  repository: Repository,
  { ruleset, account_id }: Omit<Attempt, 'way'>,
): 'always' | 'pull_requests_only' | 'never' {
  const modes = ruleset.bypass_actors
    .filter((actor) => isActor(context, repository, { actor, account_id }))
    .map(({ bypass_mode }) => bypass_mode);
  if (modes.includes('always')) return 'always';
  return modes.includes('pull_request') ? 'pull_requests_only' : 'never';
}

/** GitHub's ids of the roles that can bypass. */
const roles: Readonly<Record<number, Role>> = { 2: 'maintain', 4: 'write', 5: 'admin' };

function isActor(
  { store }: Context,
  repository: Repository,
  { actor: { actor_type, actor_id }, account_id }: { actor: BypassActor; account_id: number },
): boolean {
  if (actor_id === null) return false;
  switch (actor_type) {
    case 'Integration':
      return store.app(actor_id).bot_id === account_id;
    case 'User':
      return actor_id === account_id;
    case 'RepositoryRole': {
      const needed = roles[actor_id];
      return needed !== undefined && atLeast(roleOf(store.account(account_id), repository), needed);
    }
    case 'DeployKey':
      return false;
  }
}

/** As GitHub uses `fnmatch`: only `*`, `?` and `[…]`, no braces and no negation. */
const options = { dot: true, nobrace: true, noextglob: true, nonegate: true };

/**
 * Whether a ruleset's pattern matches a ref: `*` matches within one segment, and `**` followed
 * by a slash matches across segments. A pattern without `refs/` matches branches.
 */
export function coversRef(pattern: string, ref: string): boolean {
  const full = pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`;
  const glob = full.replace(/\*{2,}(?!\/)/g, '*');
  return picomatch.isMatch(ref, glob, options);
}
