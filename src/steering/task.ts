import type { Account } from './person.ts';

/** What a human wants done. Each task becomes one run. */
export type Task = Readonly<{
  id: string;
  title: string;
  description: string;
  acceptance_criteria: readonly string[];
  /** `owner/repo` */
  repository: string;
  base: string;
  component: string;
  kind: 'plan' | 'build' | 'test';
  worker_profile: string;
  depends_on: readonly string[];
}>;

/** Identifies a run, which is one pull request. Names may change, `repository_id` does not. */
export type RunIdentity = Readonly<{
  /** `owner/repo#n` */
  id: string;
  repository_id: number;
  owner: string;
  repo: string;
  number: number;
  branch: string;
  /** The base of the pull request, as last recorded: it can be changed. */
  base: string;
  /** The head when the run started. */
  head: string;
  presenter: 'app' | 'action';
  issue: number | null;
  /** Whether the pull request existed before the run. */
  adopted: boolean;
}>;

/** A run on the same issue that a person has rejected before this one began. */
export interface EarlierRun {
  /** Of its pull request. */
  readonly number: number;
  readonly by: Account;
  /** When it was rejected, ISO 8601. */
  readonly at: string;
  /** In that person's words, at most 500 of them. Redacted. */
  readonly reason: string;
}

/** How a ledger was lost: it is missing, not what we wrote, reset to an older commit, or without a seal. */
export type LedgerLoss = 'vanished' | 'unreadable' | 'put_back' | 'unsealed';

/** The run was begun anew after its ledger was lost. */
export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
}
