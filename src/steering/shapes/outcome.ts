import type { Cost } from './attempt-result.ts';

/** How a run ended, in one line: what later runs of the same agent are trusted by. */
export type Outcome = Readonly<{
  version: 1;
  repository_id: number;
  /** The pull request. */
  number: number;
  /** The number of the ledger's commit with which it ended; of two ends the later one counts. */
  seq: number;
  /** The id of the event with which it ended. */
  event: string;
  /** `no_changes`: the agent found nothing to do. A run that timed out has not ended. */
  outcome: 'merged' | 'closed' | 'rejected' | 'cancelled' | 'no_changes';
  /** Whose approval stood at the end; null if none did. */
  approved_by: 'people' | 'policy' | null;
  /** Every agent that worked, by `agentName`, in the order of their first attempt. */
  agents: readonly string[];
  /** How many iterations there were, including the first. */
  iterations: number;
  attempts: number;
  score: number | null;
  band: 'high' | 'medium' | 'low' | 'zero' | null;
  /** The version of the formula of the score; null without one. */
  formula: string | null;
  cost: Cost;
  /** The time of agents and verifiers. */
  worked_s: number;
  started_at: string;
  ended_at: string;
  head: string;
  base: string;
  /** Its flaky verifiers, by name, at most 20; absent if there was none, and in lines of older versions. */
  flaky?: readonly string[];
}>;
