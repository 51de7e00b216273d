import type { Cost } from './attempt-result.ts';
import type { Account } from './people.ts';
import type { Band } from './score.ts';
import type { TaskOverrides } from './settings.ts';

/** What a human wants done. Each task becomes one run. */
export type Task = Readonly<{
  id: string;
  title: string;
  description: string;
  acceptance_criteria: readonly string[];
  /** `owner/repo` */
  repository: string;
  base: string;
  component: string;
  kind: 'plan' | 'build' | 'test';
  worker_profile: string;
  depends_on: readonly string[];
}>;

/** What a person writes of a task anew; what is absent stays as it was. */
export type TaskChanges = Partial<Omit<Task, 'id' | 'repository' | 'base'>> & {
  /** What it tightens, as written under the keys of the configuration; it never loosens anything. */
  readonly overrides?: TaskOverrides;
};

/** A task that takes the place of one that failed. What is absent is inherited; dependencies are not. */
export type SpawnedTask = Readonly<
  Omit<TaskChanges, 'description'> & {
    /** Unique among those that are spawned together, which may name it under `depends_on`. */
    name: string;
    description: string;
    /** It begins from the branch of the task that failed; absent: from the base. */
    carry?: 'branch';
  }
>;

/**
 * What is known of a task that a person wrote, when it is taken: it was checked against the configuration,
 * and GitHub was asked for what it depends on.
 */
export interface TaskFacts {
  /** Why it cannot be taken, all of it, each in a sentence; empty if it can. */
  readonly problems: readonly string[];
  /** What the task tightens from now on, inherited and new; absent if nothing. */
  readonly overrides?: TaskOverrides;
  /** What it depends on; absent if that is nothing. */
  readonly on?: readonly Dependency[];
}

/** An issue or pull request of the same repository that has to be merged before a run begins. */
export interface Dependency {
  readonly number: number;
  /**
   * `open`: it is worked on, or nobody has begun. `closed`: without a merge. `merged`: but not into the base
   * of the run, or not yet. `ready`: its merge is in the tip of that base.
   */
  readonly is: 'open' | 'closed' | 'merged' | 'ready';
}

/** The runs that take the place of one, in the order in which they were made. */
export interface Replacement {
  /** The event that asked for them. */
  readonly cause: string;
  readonly made: readonly { readonly name: string; readonly number: number }[];
}

/** The run whose place a run has taken, together with others of the same cause. */
export interface Replaced {
  readonly number: number;
  readonly cause: string;
  /** The name of this task among those of the block. */
  readonly name: string;
  /** What it had cost, and those before it; absent if nothing is known of it. */
  readonly spent?: Cost;
}

/** Identifies a run, which is one pull request. Names may change, `repository_id` does not. */
export type RunIdentity = Readonly<{
  /** `owner/repo#n` */
  id: string;
  repository_id: number;
  owner: string;
  repo: string;
  number: number;
  branch: string;
  /** The base of the pull request, as last recorded: it can be changed. */
  base: string;
  /** The head when the run started, or what it became when the base was merged before any work. */
  head: string;
  presenter: 'app' | 'action';
  issue: number | null;
  /** Whether the pull request existed before the run. */
  adopted: boolean;
}>;

/**
 * A run on the same task that a person has rejected, abandoned, or replaced by this one and others, before
 * this began.
 */
export interface EarlierRun {
  /** The number of its pull request. */
  readonly number: number;
  readonly by: Account;
  /** When that was, ISO 8601. */
  readonly at: string;
  /** Absent if it was rejected; `replaced`: because no attempt succeeded, and the reason is why. */
  readonly how?: 'abandoned' | 'replaced';
  /** In that person's words, at most 500 of them. Redacted. */
  readonly reason: string;
}

/** How a ledger was lost: it is missing, not what we wrote, reset to an older commit, or without a seal. */
export type LedgerLoss = 'vanished' | 'unreadable' | 'put_back' | 'unsealed';

/** The run was started over after its ledger was lost. */
export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
}

/** What depends on what: each name with those of its dependencies. */
type Dependencies = ReadonlyMap<string, readonly string[]>;

/**
 * A way through dependencies that comes back to where it began, such as `[#1, #5, #3, #1]`; undefined if
 * there is none.
 */
export function cycleIn(dependencies: Dependencies): readonly string[] | undefined {
  const done = new Set<string>();
  for (const name of dependencies.keys()) {
    const cycle = cycleFrom(name, dependencies, [], done);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** `done`: from these, no way comes back. */
function cycleFrom(
  name: string,
  dependencies: Dependencies,
  way: readonly string[],
  done: Set<string>,
): readonly string[] | undefined {
  const before = way.indexOf(name);
  if (before >= 0) return [...way.slice(before), name];
  if (done.has(name)) return undefined;
  for (const next of dependencies.get(name) ?? []) {
    const cycle = cycleFrom(next, dependencies, [...way, name], done);
    if (cycle !== undefined) return cycle;
  }
  done.add(name);
  return undefined;
}

/** How a run ended, in one line: what later runs of the same agent are trusted by. */
export type Outcome = Readonly<{
  version: 1;
  repository_id: number;
  /** The pull request. */
  number: number;
  /** The number of the ledger's commit with which it ended; of two ends the later one counts. */
  seq: number;
  /** The id of the event with which it ended. */
  event: string;
  /** `no_changes`: the agent found nothing to do. A run that timed out has not ended. */
  outcome: 'merged' | 'closed' | 'rejected' | 'cancelled' | 'no_changes';
  /** Whose approval stood at the end; null if none did. */
  approved_by: 'people' | 'policy' | null;
  /** Every agent that worked, by `agentName`, in the order of their first attempt. */
  agents: readonly string[];
  /** How many iterations there were, including the first. */
  iterations: number;
  attempts: number;
  score: number | null;
  band: Band | null;
  /** The version of the formula of the score; null without one. */
  formula: string | null;
  cost: Cost;
  /** The time of agents and verifiers. */
  worked_s: number;
  started_at: string;
  ended_at: string;
  head: string;
  base: string;
  /** Its flaky verifiers, by name, at most 20; absent if there was none, and in lines of older versions. */
  flaky?: readonly string[];
}>;
