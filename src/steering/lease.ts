/** Identifies a lease: a result counts only if its lease is the current one. */
export interface LeaseId {
  readonly iteration: number;
  readonly attempt: number;
  readonly holder: string;
}

export interface Lease extends LeaseId {
  /** When the sweep may hand the work to another process, ISO 8601. */
  readonly until: string;
}
