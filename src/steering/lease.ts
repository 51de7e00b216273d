/** Which of the attempts is meant: a result counts only for the hold that is current (the fence). */
export interface LeaseId {
  readonly iteration: number;
  readonly attempt: number;
  readonly holder: string;
}

export interface Lease extends LeaseId {
  /** When the sweep may give the attempt to another, ISO 8601. */
  readonly until: string;
}
