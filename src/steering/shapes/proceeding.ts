import type { Account } from './person.ts';
import type { OnTimeout } from './settings.ts';

/**
 * What happens to a commit whose verifiers passed: the decision about it, and everything else that has to be
 * true before a run goes on without people.
 */
export type Proceeding = Readonly<
  | { how: 'proceed'; rule: Exclude<PolicyRule, 'auto_proceed_after'> }
  /** People have `after_s` seconds to say something. */
  | { how: 'wait_with_timeout'; after_s: number; on_timeout: OnTimeout; new_ground?: NewGround }
  /** People decide, for at least one reason; those of the mode come first. */
  | { how: 'wait'; because: readonly PeopleDecide[]; new_ground?: NewGround }
>;

/** What of the configuration approves instead of people. */
export type PolicyRule = 'auto' | 'confidence_threshold' | 'auto_proceed_after';

/** The agent has too few merged runs in this repository for any confidence to be more than medium. */
export interface NewGround {
  /** 0 as well if it is unknown. */
  readonly merged_runs: number;
  readonly needed: number;
}

/** Why people decide. */
export type PeopleDecide = Readonly<
  | { why: 'manual' | 'gated' | 'unverified' | 'low_confidence' }
  | { why: 'below_threshold'; threshold: number }
  /** Verifiers that passed and failed on the same tree, by name. */
  | { why: 'flaky'; verifiers: readonly string[] }
  /** A second opinion is wanted, and there is none on this commit. */
  | { why: 'no_opinion' }
  /** The change is too large for its reviewer to have been shown all of it. */
  | { why: 'partial_opinion' }
  /** Those of high severity, by their ids. */
  | { why: 'concerns'; concerns: readonly string[] }
  /** The same, dismissed by people, on this commit or one before. */
  | { why: 'overruled'; concerns: readonly string[] }
  /** Their runs have no ledger that only we can have written. */
  | { why: 'action' }
  | { why: 'restored' | 'people_unknown' | 'adopted' | 'others_pushed' }
  /** The commit did not come of an attempt that got through all its stages. */
  | { why: 'stages_left' }
  | { why: 'unlisted_base'; base: string }
  /** Globs of the configuration that match changed files, whose own approvers nothing replaces. */
  | { why: 'protected_paths'; paths: readonly string[] }
  /** Changed files that have code owners, one of each group, where the configuration asks the owners. */
  | { why: 'code_owners'; files: readonly string[] }
  /** It says how many people must approve, or who. */
  | { why: 'task' }
  /** The sandbox is missing, which nobody decided; one that the configuration switches off is decided. */
  | { why: 'unsandboxed' }
  /** The logins of those who asked or steered without write access. */
  | { why: 'no_write'; people: readonly string[] }
  /** A timed proceed needs `on_timeout: proceed` written out on new ground, and where we would merge. */
  | { why: 'on_timeout_unwritten'; where: 'new_ground' | 'finish' }
  | WasLeft
>;

/** Why this very commit was left to people after it might have gone on by itself. */
export type WasLeft =
  | (Pick<Spoken, 'at' | 'how'> & { readonly why: 'stopped'; readonly by: string })
  /** The time passed, and the configuration says `on_timeout: hold`. */
  | { readonly why: 'held'; readonly at: string }
  | { readonly why: 'finish_refused'; readonly reasons: readonly string[] };

/** The configuration has approved a run instead of people. */
export interface PolicyGround {
  readonly by: 'policy';
  readonly rule: PolicyRule;
  /** When, ISO 8601. */
  readonly at: string;
}

/** Who said something, and when, ISO 8601. */
export interface Spoken extends Account {
  readonly at: string;
  /** `unread`: there is more than was read, and somebody may have. Absent if they wrote or changed words. */
  readonly how?: 'deleted' | 'unread';
}
