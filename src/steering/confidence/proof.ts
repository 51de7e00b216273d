/**
 * What a change is worth when it is run: against the tests as they were, and the new tests without it.
 * Evidence for people and for the gate on weakened tests; no part of the score.
 */
export interface Proof {
  /** The test files that the change touches, at most 100. */
  readonly tests: readonly string[];
  /** The verifiers with the test files as they are on the base: "old tests, new code". Green is good. */
  readonly old_tests: ProofRun;
  /** The verifiers with the new test files on the code of the base: "new tests without the change"; red is good. */
  readonly without_change: ProofRun;
}

/** One run of the verifiers that decides nothing by itself, or why there was none. */
export type ProofRun =
  | { readonly outcome: 'ran'; readonly verifiers: readonly ProofResult[]; readonly duration_s: number }
  /** `why` is part of a sentence, such as `no test file was changed`. */
  | { readonly outcome: 'skipped'; readonly why: string };

export interface ProofResult {
  readonly name: string;
  readonly success: boolean;
  /** -1 when the command could not start. */
  readonly exit_code: number;
  readonly timed_out: boolean;
}

/** The verifiers on the base without the change: what is red there was red before. */
export interface Baseline {
  /** The commit of the base. */
  readonly base: string;
  readonly run: ProofRun;
}
