import type { Cost, ToolCall, UnfinishedWork, VerifierOutput } from './attempt-result.ts';
import type { AttemptId } from './standing.ts';

/**
 * What an agent at work is doing. It is never in the ledger: it changes every moment, and what remains of it
 * is in the report of the attempt.
 */
export interface Progress {
  readonly stage: 'setup' | 'agent' | 'verifiers';
  /** When the attempt began, ISO 8601. */
  readonly since: string;
  /** What the models of this attempt have cost so far. */
  readonly cost: Cost;
  /** Limits that will soon be met, each in a sentence. */
  readonly near: readonly string[];
  readonly calls: { readonly total: number; readonly failed: number; readonly denied: number };
  /** The newest calls, oldest first, at most 10; without an outcome while they run. Redacted. */
  readonly last: readonly RecentCall[];
  /** The end of what the agent says, at most 2,000 characters. Redacted. */
  readonly saying: string;
  /** All of them in order, once they have begun; absent before. */
  readonly verifiers?: readonly VerifierProgress[];
  /** What is done beyond running the verifiers on the change itself; absent while they run on that. */
  readonly trial?: Trial;
}

/**
 * A run of the verifiers that decides nothing by itself: the change with the test files of the base, the
 * base with the new test files, or the base alone; or, when they have passed, a second opinion.
 */
export type Trial = 'old_tests' | 'without_change' | 'baseline' | 'review';

/** How far a verifier is. */
export interface VerifierProgress {
  readonly name: string;
  readonly required: boolean;
  /** When it began, ISO 8601, while it runs. */
  readonly since?: string;
  /** It has failed, and runs once more on the same tree. */
  readonly again?: true;
  /** Absent until it has ended. */
  readonly result?: Pick<VerifierOutput, 'success' | 'duration_s'>;
}

export interface RecentCall extends Pick<ToolCall, 'kind' | 'title' | 'command'> {
  readonly outcome?: ToolCall['outcome'];
}

/** An agent that was stopped before it had finished; the next attempt goes on from what it left. */
export interface Parked extends AttemptId {
  readonly because: ParkReason;
  /** Absent if it had changed nothing. */
  readonly work?: UnfinishedWork;
  /** What it did so far, which counts with what the next attempt does; absent if it told of nothing. */
  readonly tool_calls?: readonly ToolCall[];
  /** A tool call that somebody has allowed since, by `textOfCall`: the next attempt may make it once. */
  readonly granted?: string;
}

/**
 * Why an agent was stopped: people have to answer its question, or decide about a tool call; its model has no
 * more for now; people or this process stopped it; it failed.
 */
export type ParkReason = 'question' | 'permission' | 'rate_limit' | 'stopped' | 'failed';
