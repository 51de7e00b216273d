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

export interface UpdateRule {
  type: 'update';
  parameters: { update_allows_fetch_and_merge: boolean };
}

export interface MergeQueueRule {
  type: 'merge_queue';
  parameters: {
    check_response_timeout_minutes: number;
    grouping_strategy: 'ALLGREEN' | 'HEADGREEN';
    max_entries_to_build: number;
    max_entries_to_merge: number;
    merge_method: 'MERGE' | 'SQUASH' | 'REBASE';
    min_entries_to_merge: number;
    min_entries_to_merge_wait_minutes: number;
  };
}

export interface PlainRule {
  type: 'creation' | 'deletion' | 'non_fast_forward' | 'required_linear_history';
}

export type RulesetRule = StatusCheckRule | PullRequestRule | UpdateRule | MergeQueueRule | PlainRule;

export interface BypassActor {
  /** An App's, account's or role's id; the roles are 2 (maintain), 4 (write) and 5 (admin). */
  actor_id: number | null;
  actor_type: 'Integration' | 'User' | 'RepositoryRole' | 'DeployKey';
  /** `pull_request` allows merging a pull request, but not pushing. */
  bypass_mode: 'always' | 'pull_request';
}

export interface Ruleset {
  id: number;
  name: string;
  target: 'branch' | 'tag';
  enforcement: 'active' | 'evaluate' | 'disabled';
  /** Patterns of full refs (without `refs/`: of branches), `~DEFAULT_BRANCH` or `~ALL`. */
  include: string[];
  exclude: string[];
  bypass_actors: BypassActor[];
  rules: RulesetRule[];
  created_at: string;
  updated_at: string;
}

/** Classic protection of the branches whose names match the pattern. */
export interface BranchProtection {
  pattern: string;
  /** Otherwise administrators are exempt. */
  enforce_admins: boolean;
  required_status_checks: { strict: boolean; checks: { context: string; app_id: number | null }[] } | null;
  required_pull_request_reviews: {
    required_approving_review_count: number;
    dismiss_stale_reviews: boolean;
    require_last_push_approval: boolean;
  } | null;
  /** Only these may push; null means everybody with write access. */
  restrictions: { user_ids: number[]; app_ids: number[] } | null;
  allow_force_pushes: boolean;
  allow_deletions: boolean;
}
