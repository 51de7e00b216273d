import type { Repository } from '../events/github-event.ts';

/** A run's pull request, as far as words about it need it. */
export interface Subject {
  readonly repository: Repository;
  readonly number: number;
  readonly title: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly labels: readonly string[];
  /** The ids of the run's events: they tell an edited comment that was never heard from one that was. */
  readonly seen?: ReadonlySet<string>;
}
