import type { Lease } from './lease.ts';

/** Where a run stands: one member for each phase, with exactly that phase's facts. */
export type Standing =
  | { readonly phase: 'queued'; readonly work: WorkKind }
  | { readonly phase: 'working'; readonly hold: Lease }
  | { readonly phase: 'verifying'; readonly hold: Lease; readonly work: Exclude<WorkKind, 'attempt'> }
  | AwaitingApproval
  | AwaitingResolution
  | { readonly phase: 'paused'; readonly why: PauseReason; readonly resumes_with: WorkKind }
  | { readonly phase: 'approved'; readonly finish: 'checking' | 'finished' }
  | { readonly phase: 'done'; readonly merged: boolean }
  | { readonly phase: 'rejected'; readonly by: string; readonly reason: string }
  | { readonly phase: 'cancelled'; readonly by: string | null; readonly reason: string }
  | { readonly phase: 'timed_out'; readonly before: AwaitingApproval | AwaitingResolution }
  | {
      readonly phase: 'failed';
      readonly reference: string;
      readonly what: string;
      readonly resumes_with: WorkKind;
    };

export type Phase = Standing['phase'];

/**
 * What an engine is to do: a whole attempt, the verifiers for the commit an attempt made,
 * or the verifiers on a head that nobody's attempt is being judged by.
 */
export type WorkKind = 'attempt' | 'verify_attempt' | 'verify_head';

export interface AwaitingApproval {
  readonly phase: 'awaiting_approval';
  readonly interaction: Interaction;
  /** When the review timer fires, ISO 8601. */
  readonly deadline: string;
}

export interface AwaitingResolution {
  readonly phase: 'awaiting_resolution';
  readonly interaction: Interaction;
  readonly interrupt: Interrupt;
  readonly deadline: string;
}

/** A run whose ledger is lost remembers nothing, so `ledger_lost` is in no ledger; it is only shown. */
export type PauseReason = 'branch_deleted' | 'reopened' | 'ledger_lost' | 'ledger_restored';

/** What a human must settle. The id is `<kind>:<pull request>:<seq>`, also the check run's external_id. */
export interface Interaction {
  readonly id: string;
  readonly kind: 'approval' | 'interrupt';
  readonly opened_at: string;
  /** What is on show: an approval counts for this commit only. */
  readonly head_sha: string;
}

export interface SettledInteraction extends Interaction {
  readonly settled_at: string;
  readonly by: string;
  readonly how: string;
}

/** why the run stopped for a human. */
export interface Interrupt {
  readonly type: 'task_exceeded_retries' | 'zero_confidence';
  readonly retry_count: number;
  readonly failure_reason: string;
}

/** What had become of a ledger: gone, not what we wrote, or an older one than it had been. */
export type LedgerLoss = 'vanished' | 'unreadable' | 'put_back';
