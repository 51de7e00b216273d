import type { Command } from './command.ts';
import type { Changes, CommitSummary, Cost, Failure, GateHit, Report, VerifierOutput } from './evidence.ts';
import type { Lease, LeaseId } from './lease.ts';
import type { Person } from './person.ts';
import type { Settings } from './settings.ts';
import type { Source } from './source.ts';
import type { LedgerLoss, SettledInteraction } from './standing.ts';
import type { RunIdentity, SteeringIteration } from './state.ts';
import type { Task } from './task.ts';

/** Everything that can happen to a run. A closed union: each phase's row must answer all of it. */
export type Event = {
  readonly [T in keyof EventPayloads]: Stamp & { readonly type: T } & EventPayloads[T];
}[keyof EventPayloads];

export type EventType = keyof EventPayloads;
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/** `id` comes from the cause (DESIGN: never a delivery id); `at` is GitHub's time, ISO 8601 UTC. */
export interface Stamp {
  readonly id: string;
  readonly at: string;
}

interface EventPayloads {
  run_started: {
    readonly run: RunIdentity;
    readonly task: Task;
    readonly settings: Settings;
    readonly by: Person;
    /** Null where nothing was said: a label. */
    readonly source: Source | null;
  };
  /** The ledger was lost; this begins another from what the pull request remembers and GitHub says now. */
  restored: {
    readonly run: RunIdentity;
    readonly task: Task;
    /** As the base branch has them now, like everything that anybody's rights depend on. */
    readonly settings: Settings;
    readonly past: Past;
    readonly lost: LedgerLoss;
    /** When the pull request was opened. */
    readonly opened_at: string;
    readonly by: Person;
  };
  said: { readonly command: Command; readonly by: Person; readonly source: Source };
  /** The comment behind a queued steer was edited or deleted. `text` is the new prompt, if it is one. */
  comment_changed: {
    readonly comment_id: number;
    readonly by_author: boolean;
    readonly by: string;
    readonly text: string | null;
  };
  review_dismissed: { readonly review_id: number; readonly by: string };
  attempt_started: { readonly hold: Lease; readonly head: string };
  /** The agent is gone and its work is a commit; code and record land in one push. */
  work_finished: { readonly hold: LeaseId; readonly work: Work };
  work_failed: {
    readonly hold: LeaseId;
    readonly failure: Failure;
    readonly kept: string | null;
    readonly duration_s: number;
  };
  verified: {
    readonly hold: LeaseId;
    readonly head: string;
    readonly verifiers: readonly VerifierOutput[];
    readonly changes: Changes;
    /** Absent in ledgers of versions that did not list them, and where the iteration's start is gone. */
    readonly commits?: CommitSummary;
    readonly gates: readonly GateHit[];
    readonly duration_s: number;
  };
  /** Whoever held the attempt is gone; another may take it. */
  hold_lost: { readonly hold: LeaseId };
  pushed: { readonly before: string; readonly head: string; readonly forced: boolean; readonly by: string };
  branch_deleted: { readonly by: string };
  closed: { readonly merged: boolean; readonly by: string };
  reopened: { readonly by: string };
  timer_due: { readonly timer: 'review'; readonly deadline: string };
  /** What GitHub says just before finishing (DESIGN §3 Trust, §5). */
  finish_checked: { readonly facts: FinishFacts };
  /** Our own fault, with the reference under which the log has it. */
  run_failed: { readonly reference: string; readonly what: string };
  /** What was owed has been done. */
  settled: { readonly paid: readonly string[] };
}

/**
 * What a pull request remembers of its run. Anyone with write access may have changed it, so nothing in it
 * is about who may, what was approved, or what the verifiers said.
 */
export interface Past {
  /** The highest number that the lost ledger is known to have reached. */
  readonly seq: number;
  readonly iteration: number;
  readonly attempt: number;
  /** Those that are known, oldest first. */
  readonly iterations: readonly SteeringIteration[];
  /** What was being asked when the ledger was lost. */
  readonly asked: SettledInteraction | null;
}

export interface Work {
  readonly head_before: string;
  readonly head: string;
  readonly report: Report;
  readonly changes: Changes;
  readonly cost: Cost;
  readonly duration_s: number;
}

export interface FinishFacts {
  readonly head_sha: string;
  /** The branch it would be merged into now: a pull request can be given another. */
  readonly base: string;
  /** The configuration as it is now on that branch; null when it can no longer be read. */
  readonly settings: Settings | null;
  readonly approvals: readonly { readonly id: string; readonly stands: boolean; readonly why: string }[];
}
