import type { StartRequest } from '../../github/listen/heard.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { SettledInteraction } from '../../steering/shapes/standing.ts';
import type { EarlierRun, Replaced, Task } from '../../steering/shapes/task.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Repository } from '../repository/repository.ts';

/** A start in progress. */
export interface Starting {
  readonly request: StartRequest;
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  readonly startOptions: StartOptions;
  /** Present if the run takes the place of another one. */
  readonly inPlace?: InPlace;
}

/** A run that takes the place of another one: its task is known, and what goes along with it. */
export interface InPlace {
  readonly task: Task;
  readonly replaces: Replaced;
  readonly inherited: readonly SettledInteraction[];
  readonly contributors: Contributors;
  /** It begins with commits that are not all an agent's. */
  readonly others_pushed?: true;
  /** It begins with work on which the CI of the repository must not run yet. */
  readonly skips_ci?: true;
  readonly earlier: readonly EarlierRun[];
  /** The head of a branch that it begins from; absent: the tip of its base. */
  readonly from?: { readonly branch: string; readonly head: string };
}

/** Options in addition to the task. */
export interface StartOptions {
  readonly base?: string | null;
  /** The worker profile that the task names. */
  readonly worker_profile?: string;
  /** What the task tightens, as `withOverrides` takes it. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** What blocks or a form tighten besides that, one after the other. */
  readonly written?: readonly TaskOverrides[];
  /** The part of that which is not the workflow's own, but filled in by whoever started it by hand. */
  readonly filledIn?: Readonly<Record<string, unknown>>;
}
