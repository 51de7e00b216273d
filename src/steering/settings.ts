import type { Role } from './person.ts';

/**
 * The configuration of a run: read from the base branch when the run starts, with every default filled
 * in, and kept in the ledger. Durations are in seconds.
 */
export interface Settings {
  /** SHA-256 of the configuration file on the base branch; an approval is bound to it. */
  readonly digest: string;
  readonly agent: AgentChoice;
  /** Shell commands run before the agent and before the verifiers. */
  readonly setup: readonly string[];
  readonly verifiers: readonly VerifierSpec[];
  readonly approval: ApprovalSettings;
  readonly steering: { readonly max_iterations: number; readonly review_timeout_s: number };
  readonly attempts: { readonly max: number };
  readonly limits: { readonly minutes: number };
  readonly labels: { readonly trigger: string };
  readonly sandbox: SandboxMode;
}

/** `required`: no run without a sandbox. `preferred`: logs a warning when there is none. */
export type SandboxMode = 'required' | 'preferred' | 'off';

export type AgentChoice =
  | { readonly use: 'command'; readonly command: readonly string[]; readonly timeout_s: number }
  | { readonly use: 'scripted'; readonly script: string; readonly timeout_s: number };

export interface VerifierSpec {
  readonly name: string;
  /** A shell command; its exit code decides. */
  readonly run: string;
  readonly timeout_s: number;
  readonly required: boolean;
}

export interface ApprovalSettings {
  readonly mode: ApprovalMode;
  readonly threshold: number;
  /** How many different people must approve. */
  readonly required: number;
  readonly by: readonly Approver[];
  readonly steerer_may_approve: boolean;
  readonly requester_may_approve: boolean;
  /** The slugs of the Apps that may speak for a person; none if absent. */
  readonly apps?: readonly string[];
  readonly finish: 'ready' | 'auto-merge' | 'merge';
  readonly merge_method: 'merge' | 'squash' | 'rebase';
}

export type ApprovalMode = 'manual' | 'auto' | 'confidence_threshold';

/** Who may approve: everyone with a role, or one person by login. */
export type Approver = { readonly role: Role } | { readonly login: string };
