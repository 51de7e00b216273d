import picomatch from 'picomatch';
import type { Context } from '../context.ts';
import type { BranchProtection, Repository, RequiredCheck, Ruleset, RulesetRule } from '../model.ts';
import { roleOf } from '../permissions.ts';

/** A rule that applies to a ref, where it comes from, and who is exempt. */
export interface AppliedRule {
  rule: RulesetRule;
  source: 'ruleset' | 'protection';
  exempts(account_id: number): boolean;
}

/** All rules that apply to a full ref: those of every matching ruleset, and of the classic protection. */
export function rulesOn(context: Context, repository: Repository, ref: string): AppliedRule[] {
  const ofRulesets = rulesetsOn(repository, ref).flatMap((ruleset) =>
    ruleset.rules.map((rule) => ({
      rule,
      source: 'ruleset' as const,
      exempts: (id: number) => bypasses(context, ruleset, id),
    })),
  );
  const protection = protectionOn(repository, ref);
  if (!protection) return ofRulesets;
  const exempts = (id: number) =>
    !protection.enforce_admins && roleOf(context.store.account(id), repository) === 'admin';
  const ofProtection = rulesOf(protection).map((rule) => ({ rule, source: 'protection' as const, exempts }));
  return [...ofRulesets, ...ofProtection];
}

/** The rulesets whose conditions include the ref. */
export function rulesetsOn(repository: Repository, ref: string): Ruleset[] {
  return repository.rulesets.filter(({ include }) =>
    include.some((pattern) => {
      if (pattern === '~ALL') return ref.startsWith('refs/heads/');
      if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${repository.default_branch}`;
      return coversRef(pattern, ref);
    }),
  );
}

/** The checks without which nothing is merged into a branch. */
export function requiredChecksOn(context: Context, repository: Repository, branch: string): RequiredCheck[] {
  return rulesOn(context, repository, `refs/heads/${branch}`).flatMap(({ rule }) =>
    rule.type === 'required_status_checks' ? rule.parameters.required_status_checks : [],
  );
}

/** Whether a check or status of this name counts for what is required, if this App has set it. */
export function fulfils(
  { name, app_id }: { name: string; app_id: number | null },
  { context, integration_id }: RequiredCheck,
): boolean {
  return context === name && (integration_id === undefined || integration_id === app_id);
}

/** Only one classic protection applies: that of exactly this branch, else the oldest that matches. */
export function protectionOn(repository: Repository, ref: string): BranchProtection | undefined {
  const exact = repository.protections.find(({ pattern }) => ref === `refs/heads/${pattern}`);
  return exact ?? repository.protections.find(({ pattern }) => coversRef(pattern, ref));
}

/** The rules of a ruleset that would do the same. */
function rulesOf({
  required_status_checks: { strict, checks },
  required_signatures,
}: BranchProtection): RulesetRule[] {
  return [
    { type: 'non_fast_forward' },
    { type: 'deletion' },
    ...(required_signatures ? [{ type: 'required_signatures' } as const] : []),
    {
      type: 'required_status_checks',
      parameters: {
        strict_required_status_checks_policy: strict,
        do_not_enforce_on_create: true,
        required_status_checks: checks.map(({ context, app_id }) => ({
          context,
          ...(app_id === null ? {} : { integration_id: app_id }),
        })),
      },
    },
  ];
}

/** Whether the account is that of an App on the ruleset's bypass list. */
export function bypasses({ store }: Context, { bypass_actors }: Ruleset, account_id: number): boolean {
  return bypass_actors.some(({ actor_id }) => store.app(actor_id).bot_id === account_id);
}

/** As GitHub uses `fnmatch`: only `*`, `?` and `[…]`, no braces and no negation. */
const options = { dot: true, nobrace: true, noextglob: true, nonegate: true };

/**
 * Whether a ruleset's pattern matches a ref: `*` matches within one segment, and `**` followed
 * by a slash matches across segments. A pattern without `refs/` matches branches.
 */
function coversRef(pattern: string, ref: string): boolean {
  const full = pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`;
  const glob = full.replace(/\*{2,}(?!\/)/g, '*');
  return picomatch.isMatch(ref, glob, options);
}
