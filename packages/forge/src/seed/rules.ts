import { type Context, timestamp } from '../context.ts';
import type {
  BranchProtection,
  MergeQueueRule,
  PullRequestRule,
  Ruleset,
  RulesetRule,
  StatusCheckRule,
} from '../model.ts';
import { repositoryCalled } from './lookup.ts';

/** A rule whose parameters have the defaults of GitHub's website. */
export type NewRule =
  | { type: Exclude<RulesetRule['type'], 'required_status_checks'>; parameters?: never }
  | { type: 'pull_request'; parameters: Partial<PullRequestRule['parameters']> }
  | { type: 'merge_queue'; parameters: Partial<MergeQueueRule['parameters']> }
  | {
      type: 'required_status_checks';
      parameters: Pick<StatusCheckRule['parameters'], 'required_status_checks'> &
        Partial<StatusCheckRule['parameters']>;
    };

/** A ruleset for the default branch, unless it says otherwise. */
export interface NewRuleset extends Partial<Pick<Ruleset, 'name' | 'include'>> {
  bypass_actors?: Omit<Ruleset['bypass_actors'][number], 'bypass_mode'>[];
  rules: NewRule[];
}

type NewProtection = Pick<BranchProtection, 'required_status_checks'> & Partial<BranchProtection>;

/** A short form of a ruleset for the refs that match one pattern. */
export interface RefRule {
  forbid_create?: boolean;
  forbid_update?: boolean;
  /** Checks from any source that a head must pass before it can be merged. */
  required_checks?: string[];
}

/** Rules of branches, as an administrator sets them. */
export function seedRules(context: Context) {
  /** Returns the ruleset's id. */
  const addRuleset = (repository: string, wanted: NewRuleset) => {
    const id = context.store.id();
    repositoryCalled(context, repository).rulesets.push({
      id,
      name: wanted.name ?? `rules ${id}`,
      include: wanted.include ?? ['~DEFAULT_BRANCH'],
      bypass_actors: (wanted.bypass_actors ?? []).map((actor) => ({ bypass_mode: 'always', ...actor })),
      rules: wanted.rules.map(ruleFrom),
      created_at: timestamp(context),
      updated_at: timestamp(context),
    });
    return id;
  };
  return {
    addRuleset,
    /** Classic protection of the branches whose names match the pattern. */
    addProtection: (name: string, pattern: string, wanted: NewProtection) =>
      void repositoryCalled(context, name).protections.push({ enforce_admins: false, ...wanted, pattern }),
    /** A ruleset for the refs that match one pattern, in a short form. */
    protect: (name: string, pattern: string, rule: RefRule) =>
      void addRuleset(name, { include: [pattern], rules: rulesOf(rule) }),
    /** Removes all rulesets and classic protections. */
    unprotect(name: string) {
      const repository = repositoryCalled(context, name);
      repository.rulesets.length = 0;
      repository.protections.length = 0;
    },
  };
}

function ruleFrom({ type, parameters }: NewRule): RulesetRule {
  switch (type) {
    case 'update':
      return { type, parameters: { update_allows_fetch_and_merge: false } };
    case 'merge_queue':
      return { type, parameters: { ...mergeQueue, ...parameters } };
    case 'pull_request':
      return { type, parameters: { ...reviews, ...parameters } };
    case 'required_status_checks':
      return { type, parameters: { ...checks, ...parameters } };
    default:
      return { type };
  }
}

const checks = { strict_required_status_checks_policy: false, do_not_enforce_on_create: false };

const reviews = {
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

function rulesOf({ forbid_create, forbid_update, required_checks }: RefRule): NewRule[] {
  const required = required_checks?.map((context) => ({ context }));
  return [
    ...(forbid_create ? [{ type: 'creation' } as const] : []),
    ...(forbid_update ? [{ type: 'update' } as const] : []),
    ...(required
      ? [{ type: 'required_status_checks', parameters: { required_status_checks: required } } as const]
      : []),
  ];
}
