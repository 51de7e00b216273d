import type { Found } from '../confidence/found.ts';
import type { CheckReport } from './check-report.ts';

/** What a run has found out while it waits for checks of its CI. */
export interface AwaitedChecks {
  /** What was found until then, to be judged together with the checks. */
  readonly found: Found;
  /** When the wait began, ISO 8601. */
  readonly since: string;
  /** As GitHub named them last; those that are not there are not listed. */
  readonly seen: readonly CheckReport[];
  /** Names of those whose time is over. */
  readonly late: readonly string[];
}
