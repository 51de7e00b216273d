/** What can be done to a test, or to what runs it, so that it proves less than before. */
export type Weakening =
  /** It does not run, does not run everywhere, or is expected to fail. */
  | 'skipped'
  | 'deleted'
  /** A row of its table, or a call with one more input, is gone. */
  | 'deleted-case'
  | 'removed-assertion'
  /** Another assertion about the same says less. */
  | 'weaker-assertion'
  /** An assertion that cannot fail. */
  | 'empty-assertion'
  /** A failure is caught, ignored or returned from before it is seen. */
  | 'swallowed-failure'
  /** A tolerance, bound, timeout, number of retries or coverage threshold. */
  | 'loosened-threshold'
  /** Fewer tests are selected. */
  | 'narrowed-selection'
  /** A command that verifies the work succeeds whatever it finds, or is gone. */
  | 'forced-success'
  /** Another result is expected, although the tested code is the same. */
  | 'changed-expectation'
  /** The same of a snapshot or another file with expected output. */
  | 'rewritten-snapshot'
  /** What is tested has been replaced by a stand-in. */
  | 'mocked-subject';

/** One place of a diff where a test was weakened. */
export interface WeakenedTest {
  readonly path: string;
  /** Where to look; 0 if only the path is known. */
  readonly line: number;
  /** Which version of the file the line is of: what was removed has a line in the old one only. */
  readonly side: 'old' | 'new';
  readonly what: Weakening;
  /** One line that people understand, with the name of the test as far as it is visible. */
  readonly evidence: string;
}
