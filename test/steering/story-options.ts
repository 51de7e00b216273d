import type {
  Cost,
  Failure,
  GateHit,
  Observations,
  Report,
  Work,
} from '../../src/steering/shapes/attempt-result.ts';
import type { Account, Person, Source } from '../../src/steering/shapes/people.ts';
import type { Settings, TaskOverrides } from '../../src/steering/shapes/settings.ts';
import type { Dependency, Replaced, Task } from '../../src/steering/shapes/task.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';

/** What the calls of a story leave to their defaults unless it matters. */

export interface FinishOptions extends Partial<Report> {
  /** The agent made no commit. */
  readonly changesNothing?: boolean;
  readonly cost?: Cost;
  readonly duration_s?: number;
  readonly blocked?: Observations['blocked'];
  readonly heard?: Observations['heard'];
  readonly plan?: Work['plan'];
  readonly merges?: Work['merges'];
  /** Rules that matched what it did without asking. */
  readonly ran?: readonly GateHit[];
}

/** What else a failed attempt reports. */
export interface Met extends Observations {
  readonly cost?: Cost;
  readonly budget?: Failure['budget'];
  readonly tip?: Failure['tip'];
}

export interface StartOptions {
  readonly by?: Person;
  readonly source?: Source | null;
  readonly contributors?: readonly Account[];
  readonly people_unknown?: true;
  readonly overrides?: TaskOverrides;
  readonly task?: Task;
  readonly on?: readonly Dependency[];
  readonly behind?: readonly number[];
  readonly replaces?: Replaced;
  readonly inherited?: State['interactions'];
  /** The ledger before this one was lost. */
  readonly lost?: NonNullable<EventOf<'run_started'>['lost']>;
}

/** What a process found when it took the work. */
export interface Taken {
  readonly settings: Settings;
  readonly base: string;
  readonly head: string;
  readonly unsandboxed: true;
}

export interface CommentOptions {
  /** What an update finds. */
  readonly up_to_date?: true;
  /** When the comment was written, relative to the head; by default a minute after the last event. */
  readonly secondsAfterHead?: number;
  readonly comment?: number;
  readonly id?: string;
  /** The slug of the App through which the person said it. */
  readonly via_app?: string;
}

export interface Push {
  readonly head?: string;
  readonly before?: string;
  readonly forced?: boolean;
  /** The push only merges the base branch. */
  readonly merges_base?: boolean;
}

export type Button =
  | 'approve'
  | 'reject'
  | 'retry'
  | 'spawn'
  | 'abandon'
  | 'cancel'
  | 'allow'
  | 'deny'
  | `answer ${number}`;

export interface Click {
  readonly head_sha: string;
  readonly interaction: string;
}

/** What an agent that was stopped left. */
export interface Left {
  /** The commit that is kept, null if it had changed nothing. */
  readonly head?: string | null;
  readonly kept?: string | null;
  /** When its model answers again. */
  readonly until?: string;
  readonly cost?: Cost;
}
