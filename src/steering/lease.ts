/** Identifies a lease: a result counts only if its lease is the current one. */
export interface LeaseId {
  readonly iteration: number;
  readonly attempt: number;
  readonly holder: string;
}

export interface Lease extends LeaseId {
  /** When it was taken, ISO 8601; absent in ledgers of older versions. */
  readonly since?: string;
  /** When the sweep may hand the work to another process, ISO 8601. */
  readonly until: string;
  /** The job of GitHub Actions that does the work; absent if none does, and in ledgers of older versions. */
  readonly job?: Job;
}

/** A run of a workflow. What GitHub runs again keeps its id and gets the next attempt. */
export interface Job {
  readonly run_id: number;
  readonly run_attempt: number;
}
