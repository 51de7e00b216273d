import type { Cost } from '../attempt-result.ts';

/** How a run ended, in one line: what later runs of the same agent are trusted by. */
export interface Outcome {
  readonly version: 1;
  readonly repository_id: number;
  /** The pull request. */
  readonly number: number;
  /** The number of the ledger's commit with which it ended; of two ends the later one counts. */
  readonly seq: number;
  /** The id of the event with which it ended. */
  readonly event: string;
  /** `no_changes`: the agent found nothing to do. A run that timed out has not ended. */
  readonly outcome: 'merged' | 'closed' | 'rejected' | 'cancelled' | 'no_changes';
  /** Whose approval stood at the end; null if none did. */
  readonly approved_by: 'people' | 'policy' | null;
  /** Every agent that worked, by `agentName`, in the order of their first attempt. */
  readonly agents: readonly string[];
  /** How many iterations there were, including the first. */
  readonly iterations: number;
  readonly attempts: number;
  readonly score: number | null;
  readonly band: 'high' | 'medium' | 'low' | 'zero' | null;
  /** The version of the formula of the score; null without one. */
  readonly formula: string | null;
  readonly cost: Cost;
  /** The time of agents and verifiers. */
  readonly worked_s: number;
  readonly started_at: string;
  readonly ended_at: string;
  readonly head: string;
  readonly base: string;
}
