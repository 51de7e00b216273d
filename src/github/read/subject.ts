import type { Repository } from '../events/github-event.ts';

/** The pull request whose comments and reviews are read. */
export interface Subject {
  readonly repository: Repository;
  readonly number: number;
  readonly title: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly labels: readonly string[];
  /** The ids of the run's events, which tell whether a comment was already recorded. */
  readonly seen?: ReadonlySet<string>;
}
