import { type Context, timestamp } from '../context.ts';
import type { BranchProtection, MergeQueueRule, PullRequestRule, Ruleset, RulesetRule } from '../model.ts';
import { accountCalled, repositoryCalled } from './lookup.ts';
import type { NewRule, NewRuleset, RefRule, Seed } from './seed.ts';

type Rules = 'addRuleset' | 'addProtection' | 'protect' | 'unprotect';

/** Rules of branches and tags, as an administrator sets them. */
export function seedRules(context: Context): Pick<Seed, Rules> {
  const addRuleset = (name: string, wanted: NewRuleset) => {
    const ruleset = rulesetFrom(context, wanted);
    repositoryCalled(context, name).rulesets.push(ruleset);
    return ruleset.id;
  };
  return {
    addRuleset,
    addProtection: (name, pattern, wanted) =>
      void repositoryCalled(context, name).protections.push({ ...plainProtection, ...wanted, pattern }),
    protect: (name, pattern, rule) => void addRuleset(name, rulesetOf(context, pattern, rule)),
    unprotect(name) {
      const repository = repositoryCalled(context, name);
      repository.rulesets.length = 0;
      repository.protections.length = 0;
    },
  };
}

const plainProtection: Omit<BranchProtection, 'pattern'> = {
  enforce_admins: false,
  required_status_checks: null,
  required_pull_request_reviews: null,
  restrictions: null,
  allow_force_pushes: false,
  allow_deletions: false,
};

function rulesetFrom(context: Context, wanted: NewRuleset): Ruleset {
  const id = context.store.id();
  return {
    id,
    name: wanted.name ?? `rules ${id}`,
    target: wanted.target ?? 'branch',
    enforcement: wanted.enforcement ?? 'active',
    include: wanted.include ?? ['~DEFAULT_BRANCH'],
    exclude: wanted.exclude ?? [],
    bypass_actors: (wanted.bypass_actors ?? []).map((actor) => ({ bypass_mode: 'always', ...actor })),
    rules: wanted.rules.map(ruleFrom),
    created_at: timestamp(context),
    updated_at: timestamp(context),
  };
}

function ruleFrom({ type, parameters }: NewRule): RulesetRule {
  switch (type) {
    case 'update':
      return { type, parameters: { update_allows_fetch_and_merge: false } };
    case 'merge_queue':
      return { type, parameters: mergeQueue };
    case 'pull_request':
      return { type, parameters: { ...reviews, ...parameters } };
    case 'required_status_checks':
      return { type, parameters: { ...checks, ...parameters } };
    default:
      return { type };
  }
}

const checks = { strict_required_status_checks_policy: false, do_not_enforce_on_create: false };

const reviews: PullRequestRule['parameters'] = {
  required_approving_review_count: 0,
  dismiss_stale_reviews_on_push: false,
  require_last_push_approval: false,
  require_code_owner_review: false,
  required_review_thread_resolution: false,
};

const mergeQueue: MergeQueueRule['parameters'] = {
  check_response_timeout_minutes: 60,
  grouping_strategy: 'ALLGREEN',
  max_entries_to_build: 5,
  max_entries_to_merge: 5,
  merge_method: 'MERGE',
  min_entries_to_merge: 1,
  min_entries_to_merge_wait_minutes: 5,
};

function rulesetOf(context: Context, pattern: string, rule: RefRule): NewRuleset {
  const contexts = (rule.required_checks ?? []).map((name) => ({ context: name }));
  const plain = [
    ['forbid_create', 'creation'],
    ['forbid_update', 'update'],
    ['forbid_delete', 'deletion'],
    ['forbid_force', 'non_fast_forward'],
    ['require_linear', 'required_linear_history'],
  ] as const;
  return {
    target: pattern.startsWith('refs/tags/') ? 'tag' : 'branch',
    include: [pattern],
    bypass_actors: (rule.bypass ?? []).map((login) => ({
      actor_type: 'User',
      actor_id: accountCalled(context, login).id,
    })),
    rules: [
      ...plain.flatMap(([flag, type]) => (rule[flag] ? [{ type }] : [])),
      ...(contexts.length > 0
        ? [{ type: 'required_status_checks' as const, parameters: { required_status_checks: contexts } }]
        : []),
    ],
  };
}
