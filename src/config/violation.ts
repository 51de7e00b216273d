import type { Path } from './problem.ts';

/** What a repository may not set, and the bound that says so. */
export interface Violation {
  readonly path: Path;
  /** As it is written in the operator's file. */
  readonly bound: string;
  readonly allowed: string;
  /** A value that is within the bound, if one is obvious. */
  readonly example?: unknown;
}
