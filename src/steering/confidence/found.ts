import type { Authority } from '../approval/authority.ts';
import type { Changes, CommitSummary, GateHit, VerifierOutput } from '../attempt-result.ts';
import type { Baseline, Proof } from './proof.ts';

/** What was found out about a commit, to be judged. */
export interface Found {
  readonly head: string;
  readonly verifiers: readonly VerifierOutput[];
  readonly changes: Changes;
  /** Absent in ledgers of older versions, and if the iteration's first commit no longer exists. */
  readonly commits?: CommitSummary;
  /** The files that the iteration changed, whoever did; absent as the commits are. At most 3,000. */
  readonly own_files?: readonly string[];
  readonly gates: readonly GateHit[];
  /** What may weaken tests, which is no gate; absent if nothing does, and in ledgers of older versions. */
  readonly remarks?: readonly string[];
  /** What they mean is said where the evaluation keeps them. */
  readonly proof?: Proof;
  readonly baseline?: Baseline;
  readonly merged_with?: string;
  readonly authority?: Authority;
  readonly merged_runs?: number;
  readonly duration_s: number;
}
