import type { BypassActor, PullRequestRule, Ruleset, RulesetRule, StatusCheckRule } from '../model.ts';

/** A rule whose parameters have the defaults of GitHub's website. */
export type NewRule =
  | { type: Exclude<RulesetRule['type'], 'required_status_checks'>; parameters?: never }
  | { type: 'pull_request'; parameters: Partial<PullRequestRule['parameters']> }
  | {
      type: 'required_status_checks';
      parameters: Pick<StatusCheckRule['parameters'], 'required_status_checks'> &
        Partial<StatusCheckRule['parameters']>;
    };

/** A ruleset for the default branch, unless it says otherwise. */
export interface NewRuleset extends Partial<Pick<Ruleset, 'name' | 'target' | 'enforcement'>> {
  include?: string[];
  exclude?: string[];
  bypass_actors?: (Omit<BypassActor, 'bypass_mode'> & Partial<Pick<BypassActor, 'bypass_mode'>>)[];
  rules: NewRule[];
}

/** A short form of a ruleset for the refs that match one pattern. */
export interface RefRule {
  forbid_create?: boolean;
  forbid_update?: boolean;
  forbid_delete?: boolean;
  forbid_force?: boolean;
  require_linear?: boolean;
  /** Checks from any source that a head must pass before it can be merged. */
  required_checks?: string[];
  /** Logins (for an App: `slug[bot]`) that bypass the rule. */
  bypass?: string[];
}
