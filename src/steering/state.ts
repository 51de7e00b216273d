import type { Confidence, Decision } from './confidence.ts';
import type { Changes, CommitSummary, Cost, Failure, GateHit, Report, VerifierOutput } from './evidence.ts';
import type { PendingEffect } from './pending-effect.ts';
import type { Person } from './person.ts';
import type { Settings } from './settings.ts';
import type { Source } from './source.ts';
import type { LedgerLoss, Phase, SettledInteraction, Standing } from './standing.ts';
import type { Task } from './task.ts';

/** Everything a run knows after its last event. `state.json` in the ledger is exactly this. */
export interface State {
  readonly version: 1;
  /**
   * Counts the ledger's commits, a restored one's on from those that were lost; a drawing never overwrites
   * one with a higher number.
   */
  readonly seq: number;
  readonly run: RunIdentity;
  readonly task: Task;
  readonly settings: Settings;
  readonly requested_by: Person;
  readonly started_at: string;
  readonly updated_at: string;
  /** The branch's head as last recorded. */
  readonly head: string;
  /** When that head landed on the branch. */
  readonly head_at: string;
  readonly iteration: number;
  readonly max_iterations: number;
  /** The last attempt's number; 0 before the first. Never restarts within an iteration. */
  readonly attempt: number;
  /** Attempts used since a human last gave input. */
  readonly attempts_used: number;
  /** How often in a row an attempt was lost with its holder. */
  readonly times_lost: number;
  readonly standing: Standing;
  readonly queue: readonly QueuedSteer[];
  /** Every iteration that has landed, iteration 0 included, oldest first. */
  readonly iterations: readonly SteeringIteration[];
  /** The attempts of the current iteration that have ended, oldest first. */
  readonly attempts: readonly AttemptRecord[];
  /** What is known of `head`; null until it has been verified. */
  readonly shown: Evaluation | null;
  /** The yeses counted so far, all for `shown.head_sha`; anything that changes what was seen empties it. */
  readonly approvals: readonly Approval[];
  /** The report of the attempt that made `head`, or null. */
  readonly report: Report | null;
  readonly interactions: readonly SettledInteraction[];
  readonly owed: readonly PendingEffect[];
  /** Who pushed to the branch besides us; absent before anybody did. */
  readonly pushers?: readonly string[];
  /** Answers of the last hour to people who may not write; absent before the first. */
  readonly answered?: readonly Answered[];
  /** Only where the ledger was lost and begun anew: what came before is as the pull request told it. */
  readonly restored?: Restoration;
}

export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
}

/** Which run: one pull request. Names may change, `repository_id` does not. */
export interface RunIdentity {
  /** `owner/repo#n` */
  readonly id: string;
  readonly repository_id: number;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  /** The head when the run began. */
  readonly head: string;
  readonly presenter: 'app' | 'action';
  readonly issue: number | null;
  /** A pull request that was there before the run. */
  readonly adopted: boolean;
}

/** A state known to stand in the phases named. */
export type In<P extends Phase> = State & { readonly standing: Extract<Standing, { phase: P }> };

/** One person's yes to one commit, and where to read it again. */
export interface Approval {
  readonly id: string;
  readonly by: Person;
  readonly at: string;
  readonly head_sha: string;
  readonly source: Source;
  /** Names of red verifiers that were passed over on purpose. */
  readonly despite: readonly string[];
}

export interface QueuedSteer extends Steer {
  /** The event that brought it. */
  readonly id: string;
  readonly at: string;
}

export interface Steer {
  readonly prompt: string;
  readonly author: string;
  readonly source: Source;
}

/** Who was answered when, ISO 8601. */
export interface Answered {
  readonly login: string;
  readonly at: string;
}

/** F-1, and what the table in the pull request needs. `prompt` is all steers of the round, joined. */
export interface SteeringIteration {
  readonly iteration_number: number;
  readonly prompt: string;
  readonly timestamp: string;
  readonly steers: readonly Steer[];
  readonly files_modified: readonly string[];
  /** The agent's own summary. */
  readonly output: string;
  readonly head_before: string;
  readonly head_after: string;
  readonly attempts: number;
  readonly score: number | null;
  readonly verifiers: readonly { readonly name: string; readonly success: boolean }[];
  readonly cost: Cost;
  readonly duration_s: number;
  /** False while the round is still being worked on. */
  readonly landed: boolean;
}

export interface AttemptRecord {
  readonly attempt: number;
  readonly outcome: 'green' | 'red' | 'failed';
  readonly head: string;
  readonly failure: Failure | null;
  readonly summary: string;
  readonly verifiers: readonly {
    readonly name: string;
    readonly success: boolean;
    readonly exit_code: number;
  }[];
  readonly duration_s: number;
}

/** What people see and approve: a commit with all that is known of it. */
export interface Evaluation {
  readonly head_sha: string;
  readonly at: string;
  readonly changes: Changes;
  /** What the iteration brought, where that is known. */
  readonly commits?: CommitSummary;
  readonly verifiers: readonly VerifierOutput[];
  readonly gates: readonly GateHit[];
  readonly confidence: Confidence;
  readonly decision: Decision;
}
