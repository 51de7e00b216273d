import type { Approver } from './settings.ts';

/** Who has a say about the changed files besides those whom `approval.by` admits in general. */
export interface Authority {
  /**
   * Groups of changed files that have the same code owners, by CODEOWNERS on the base; a group without
   * owners is of files that nobody owns.
   */
  readonly owned: readonly Owned[];
  /** Entries of `approval.protected_paths` that match changed files. */
  readonly protected: readonly Protected[];
  /** What of CODEOWNERS could not be used, such as an owner that does not exist; in words. */
  readonly problems?: readonly string[];
}

export interface Owned {
  /** As they are written: `@ada`, `@acme/core`, `ada@example.org`. */
  readonly owners: readonly string[];
  /** The first of the files, at most 20. */
  readonly files: readonly string[];
  readonly count: number;
}

export interface Protected {
  /** The globs of the entry. */
  readonly paths: readonly string[];
  readonly by: readonly Approver[];
  /** The first of the files, at most 20. */
  readonly files: readonly string[];
  readonly count: number;
}
