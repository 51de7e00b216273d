import type { GateHit } from './attempt-result.ts';
import type { Authority } from './authority.ts';
import type { CheckReport } from './check-report.ts';
import type { Contributors, Role } from './person.ts';
import type { Spoken } from './proceeding.ts';
import type { Settings } from './settings.ts';

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
