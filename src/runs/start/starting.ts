import type { StartRequest } from '../../github/listen/run-event.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';

/** A start in progress. */
export interface Starting {
  readonly request: StartRequest;
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  readonly startOptions: StartOptions;
}

/** Options in addition to the task. */
export interface StartOptions {
  readonly base?: string | null;
  /** What the task tightens, as `withOverrides` takes it. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** The part of that which is not the workflow's own, but filled in by whoever started it by hand. */
  readonly filledIn?: Readonly<Record<string, unknown>>;
}
