import type { Authority } from './approval-authority.ts';
import type { GateHit } from './attempt-result.ts';
import type { CheckReport } from './check-report.ts';
import type { Account, Contributors, Role } from './people.ts';
import type { OnTimeout, Settings } from './settings.ts';

/** What GitHub says just before a run is finished. */
export type FinishFacts = Readonly<{
  head_sha: string;
  /** The current base branch: the base of a pull request can be changed. */
  base: string;
  /** Its commit; null if it is gone, absent if the verifiers saw the head alone. */
  base_sha?: string | null;
  /** The current settings for that base; null when the configuration cannot be used. */
  settings: Settings | null;
  approvals: readonly ApprovalFacts[];
  /** When somebody last moved the branch back to a former head, ISO 8601; null if nobody did, or asked. */
  returned_at?: string | null;
  /** When the base was last changed, ISO 8601; null if it never was, absent in older ledgers. */
  base_changed_at?: string | null;
  /** Who worked on the branch; null if the settings do not ask for it. */
  contributors?: Contributors | null;
  /** Who has a say about the changed files by the base as it is now; absent if nobody has. */
  authority?: Authority;
  /** What GitHub says of the checks of the configuration; absent if it has none, and in older ledgers. */
  checks?: readonly CheckReport[];
  /** What voids earlier approvals; absent in older ledgers. */
  voids?: readonly Voiding[];
  /** What has to be true without an approval of people; absent if people approved. */
  policy?: PolicyFacts;
}>;

/** What GitHub and Git say about a run that is to be finished without people. */
export interface PolicyFacts {
  /** The App presents the run and seals its ledger, so nobody else can have written it. */
  readonly sealed: boolean;
  /** Verifiers that count as passed without a green check run of ours on the head, by name. */
  readonly unproven: readonly string[];
  /** Checks of CI of which not every run on the head succeeded, by name; absent if there are none. */
  readonly contradicted?: readonly string[];
  /** On the diff, by the rules of this moment. */
  readonly gates: readonly GateHit[];
  /** Everybody but us who ever moved the branch. */
  readonly pushers: Contributors;
  /** The logins of those who asked for the work or shaped it, and have no write access now. */
  readonly without_write: readonly string[];
  /** Of the agent in this repository, as GitHub confirms them now. */
  readonly merged_runs: number;
  /** Who said something while time ran; absent if nobody did. */
  readonly spoken?: Spoken;
}

/**
 * What makes every approval void that is not later: the ledger was lost, something was said or done that
 * could not be recorded, or words were deleted that may have been an objection.
 */
export interface Voiding {
  readonly why: 'ledger_lost' | 'unrecorded' | 'words_deleted';
  /** ISO 8601 */
  readonly at: string;
}

/** What GitHub says about an approval now. */
export interface ApprovalFacts {
  readonly id: string;
  readonly stands: boolean;
  /** Why it does not stand; empty if it does. */
  readonly why: string;
  /** The current role of the person; absent in ledgers of older versions. */
  readonly role?: Role;
  /** The teams in which the person now is, of those that matter; absent if none does. */
  readonly teams?: readonly string[];
}

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
  /** Open concerns of high severity, by their ids. */
  | { why: 'concerns'; concerns: readonly string[] }
  /** Concerns of high severity that people dismissed, by their ids, on this commit or one before. */
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
