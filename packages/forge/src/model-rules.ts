import type { Changeable } from './model-base.ts';

/** The data of branch rules: rulesets, and the older ("classic") branch protection. */

/** What GitHub calls a check in a ruleset; without an integration any source may set it. */
export interface RequiredCheck {
  context: string;
  integration_id?: number;
}

export interface StatusCheckRule {
  type: 'required_status_checks';
  parameters: {
    strict_required_status_checks_policy: boolean;
    do_not_enforce_on_create: boolean;
    required_status_checks: RequiredCheck[];
  };
}

export interface PullRequestRule {
  type: 'pull_request';
  parameters: {
    required_approving_review_count: number;
    dismiss_stale_reviews_on_push: boolean;
    require_last_push_approval: boolean;
    /** Neither of these two is enforced by the forge. */
    require_code_owner_review: boolean;
    required_review_thread_resolution: boolean;
  };
}

export interface MergeQueueRule {
  type: 'merge_queue';
  parameters: {
    check_response_timeout_minutes: number;
    /**
     * Whether each entry must pass the required checks, or only the last of those that are merged at once.
     */
    grouping_strategy: 'ALLGREEN' | 'HEADGREEN';
    max_entries_to_build: number;
    max_entries_to_merge: number;
    merge_method: 'MERGE' | 'SQUASH' | 'REBASE';
    min_entries_to_merge: number;
    min_entries_to_merge_wait_minutes: number;
  };
}

export type RulesetRule =
  | StatusCheckRule
  | PullRequestRule
  | MergeQueueRule
  /** The forge does not look at its parameters. */
  | { type: 'update'; parameters: object }
  | { type: 'creation' | 'deletion' | 'non_fast_forward' | 'required_signatures' };

/** An active ruleset of branches. */
export interface Ruleset extends Changeable {
  name: string;
  /** Patterns of full refs (without `refs/`: of branches), `~DEFAULT_BRANCH` or `~ALL`. */
  include: string[];
  /** Apps, by their ids. */
  bypass_actors: { actor_id: number; actor_type: 'Integration'; bypass_mode: 'always' }[];
  rules: RulesetRule[];
}

/** Classic protection of the branches whose names match the pattern. */
export interface BranchProtection {
  pattern: string;
  /** Otherwise administrators are exempt. */
  enforce_admins: boolean;
  required_status_checks: { strict: boolean; checks: { context: string; app_id: number | null }[] };
  required_signatures?: boolean;
}
