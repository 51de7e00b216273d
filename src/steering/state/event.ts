import type { Command } from '../commands/index.ts';
import type { ParkReason } from '../shapes/agent-progress.ts';
import type {
  AskedCall,
  Cost,
  Failure,
  Found,
  GateHit,
  Observations,
  ToolCall,
  UnfinishedWork,
  Work,
} from '../shapes/attempt-result.ts';
import type { CheckReport } from '../shapes/check-report.ts';
import type { FinishFacts, Spoken } from '../shapes/finishing.ts';
import type { Account, Person, Source, Steer } from '../shapes/people.ts';
import type { AskedQuestion } from '../shapes/question.ts';
import type { Settings, TaskOverrides } from '../shapes/settings.ts';
import type { Lease, LeaseId, SettledInteraction, TimerKind } from '../shapes/standing.ts';
import type {
  Dependency,
  EarlierRun,
  LedgerLoss,
  Replaced,
  Replacement,
  RunIdentity,
  Task,
  TaskFacts,
} from '../shapes/task.ts';

/** Everything that can happen to a run. A closed union: every phase must handle every member. */
export type Event = {
  readonly [T in keyof EventPayloads]: Stamp & { readonly type: T } & Readonly<EventPayloads[T]>;
}[keyof EventPayloads];

export type EventType = keyof EventPayloads;
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/**
 * `id` is derived from the cause, never from a webhook delivery (docs/decisions/0004); `at` is GitHub's
 * time, ISO 8601 UTC.
 */
export interface Stamp {
  readonly id: string;
  readonly at: string;
}

/**
 * Why a pull request left a merge queue without being merged: somebody took it out; a check of its group
 * failed or did not come in time; it does not fit on what is before it; the rules of the base do not allow it
 * any more; or GitHub does not say.
 */
export type QueueExit = 'person' | 'checks' | 'timeout' | 'conflict' | 'rules' | 'unknown';

interface EventPayloads {
  run_started: {
    run: RunIdentity;
    task: Task;
    settings: Settings;
    /** What the task tightens; already part of the settings, and applied again when those are read again. */
    overrides?: TaskOverrides;
    by: Person;
    /** Null for a label, which has no text. */
    source: Source | null;
    /** Who shaped the task or the adopted branch before the run. */
    contributors?: readonly Account[];
    /** Not all of them could be found out. */
    people_unknown?: true;
    /** It begins with commits that are not all an agent's. */
    others_pushed?: true;
    /** It begins with work on which the CI of the repository must not run yet. */
    skips_ci?: true;
    /** A rule demands that its commits are signed; absent in older ledgers. */
    signs?: true;
    /** Runs on the same issue that were rejected, newest first, at most three; absent if there is none. */
    earlier?: readonly EarlierRun[];
    /** What has to be merged before it begins; absent if there is nothing. */
    on?: readonly Dependency[];
    /** The runs that it has to wait behind, as so many are open; absent if it need not. */
    behind?: readonly number[];
    /** The run whose place it takes; absent if it takes none. */
    replaces?: Replaced;
    /** Runs that took its own place before its ledger was lost, as far as there are any. */
    replaced_by?: Replacement;
    /** What people and agents said to each other in that run. */
    inherited?: readonly SettledInteraction[];
    /** The run had a ledger that was lost, and had come to this number; the new one counts on from it. */
    lost?: { readonly how: LedgerLoss; readonly seq: number };
  };
  said: {
    command: Command;
    by: Person;
    source: Source;
    /** The slug of another App that wrote the comment on behalf of the person. */
    via_app?: string;
    /** Why the run cannot be handed to the agent that the command names, in part of a sentence. */
    agent_problem?: string;
    /** What was found of the task that the command describes; absent if it describes none. */
    task_facts?: TaskFacts;
    /** The branch has everything of its base, into which the command would merge that. */
    up_to_date?: true;
  };
  /**
   * What the task depends on, as GitHub says now, and as far as `base` has it; older versions did not say.
   * Once all of it is merged, the runs that it still has to wait behind; absent if there are none.
   */
  dependencies_read: { on: readonly Dependency[]; base?: string; behind?: readonly number[] };
  /** Runs with these numbers have taken the place of what the task depends on. */
  relinked: { from: readonly number[]; to: readonly number[] };
  /**
   * The base is merged into the branch: with what the task depended on, before its agent begins, or because
   * somebody wants it up to date.
   */
  base_merged: {
    hold: LeaseId;
    head_before: string;
    head: string;
    base: string;
    base_sha: string;
    /** The CI of the repository must not run on it yet; absent in ledgers of older versions. */
    skips_ci?: true;
  };
  /** The runs that were to take the place of this one are there; `refused` says why one cannot be. */
  spawned: Replacement & { readonly refused?: { readonly name: string; readonly why: string } };
  /** The comment behind a steer that waits was edited or deleted; `text` is the new prompt, if any. */
  comment_changed: {
    comment_id: number;
    by_author: boolean;
    by: string;
    text: string | null;
  };
  /**
   * Somebody said something that is no command, or changed or deleted what `author` had said. The words
   * themselves are not kept.
   */
  spoke: { how: 'wrote' | 'edited' | 'deleted'; by: Person; author: Person };
  review_dismissed: { review_id: number; by: string };
  /** The settings are read again for each attempt, and for each verification of a head. */
  attempt_started: {
    hold: Lease;
    head: string;
    /** The base that the settings are for. Both are absent in ledgers of older versions. */
    base?: string;
    settings?: Settings;
    /** Present if the programs of this work run without a sandbox. */
    unsandboxed?: true;
  };
  /** The agent has exited and its work is committed; code and record land in one push. */
  work_finished: { hold: LeaseId; work: Work } & Observations;
  /**
   * The agent has exited, but its work would run with the repository's secrets as soon as it is pushed, so a
   * human has to allow that. `kept` is the ref that keeps the commit on the remote; null if only this
   * machine's mirror has it.
   */
  work_held: {
    hold: LeaseId;
    work: Work;
    hits: readonly GateHit[];
    kept: string | null;
    /** Why the remote refused to keep it. */
    refusal?: string;
  } & Observations;
  /** An empty commit without `skip-checks` is the new head, so that the CI of the repository runs. */
  ci_started: { hold: LeaseId; head_before: string; head: string };
  /** A new commit with the files of an earlier one is the head. */
  undone: {
    hold: LeaseId;
    head_before: string;
    head: string;
    /** The CI of the repository must not run on it yet. */
    skips_ci?: true;
  };
  work_failed: {
    hold: LeaseId;
    failure: Failure;
    kept: string | null;
    /** The ref that keeps the commit on the remote; absent if none does, and in ledgers of older versions. */
    kept_ref?: string;
    duration_s: number;
    /** What its models cost all the same; absent if nothing is known of it. */
    cost?: Cost;
    /** Rules that matched what the agent ran without anybody being asked; absent if none did. */
    ran?: readonly GateHit[];
    /** What the next attempt goes on from; absent if there is nothing, and in ledgers of older versions. */
    left?: UnfinishedWork;
  } & Observations;
  /** The agent was stopped before it had finished. What it left, its log and this are one push. */
  work_parked: {
    hold: LeaseId;
    because: ParkReason;
    /** Null if it had changed nothing. */
    left: UnfinishedWork | null;
    /** When its model answers again, ISO 8601, if that is why. */
    until?: string;
    /** What it did so far, with what it had gone on from; absent if it told of nothing. */
    tool_calls?: readonly ToolCall[];
    duration_s: number;
    cost?: Cost;
    ran?: readonly GateHit[];
  } & Observations;
  verified: { hold: LeaseId } & Found & Observations;
  /** What GitHub says now of all checks of the configuration on a commit, as far as there are such. */
  checks_reported: { head: string; checks: readonly CheckReport[] };
  /**
   * The base has moved since the verifiers saw its merge with the head, by so many commits, to `base_sha`.
   */
  base_moved: { head: string; base_sha: string; commits: number };
  /** The agent is held before a tool call until somebody answers, or until `until`, ISO 8601. */
  permission_requested: { hold: LeaseId; call: AskedCall; until: string };
  /** The agent no longer waits: nobody answered in time, or it has given up the call with this id. */
  permission_lapsed: {
    hold: LeaseId;
    call: string;
    because: 'timeout' | 'withdrawn';
  };
  /** The agent wants to know something of people, and is held for a while until somebody answers. */
  question_asked: { hold: LeaseId; asked: AskedQuestion };
  /** The agent no longer wants to know, by the id of the question. */
  question_withdrawn: { hold: LeaseId; question: string };
  /** A steer, by the id of its event, has reached the agent at work, or cannot. */
  steer_told: {
    hold: LeaseId;
    steer: string;
    how: NonNullable<Steer['told']> | 'unable';
  };
  /** The process that held the lease is gone; another may take the work. */
  hold_lost: {
    hold: LeaseId;
    /** As of work that failed, if the process stopped in order. */
    cost?: Cost;
    ran?: readonly GateHit[];
  };
  pushed: {
    before: string;
    head: string;
    forced: boolean;
    by: string;
    /** GitHub's id of the pusher; absent if it is unknown or an older version recorded the push. */
    by_id?: number;
    /** The push only merges the base branch, so it contains nobody's own change. */
    merges_base?: boolean;
  };
  branch_deleted: { by: string };
  /** Someone changed the base branch of the pull request. */
  retargeted: {
    base: string;
    /** Those for the new base; null if the configuration cannot be used. */
    settings: Settings | null;
    /** Whether the new base is at the commit where the former one was last seen, as after a renaming. */
    same_commit: boolean;
    by: string;
  };
  /** `base` is the branch it was merged into, or into which it would have been. */
  closed: { merged: boolean; by: string; base?: string };
  reopened: { by: string };
  /** The pull request was put into the merge queue of its base. */
  enqueued: { by: string };
  /** It left the merge queue without being merged. */
  dequeued: {
    by: string;
    because: QueueExit;
    /** What failed on its merge group, each in part of a sentence; absent if it is not known. */
    details?: readonly string[];
  };
  /** One of the deadlines of the run has come. */
  timer_due: {
    timer: TimerKind;
    deadline: string;
    /** Who said something since people were asked, be it no command; absent if nobody did. */
    spoken?: Spoken;
  };
  /** What GitHub says just before finishing. */
  finish_checked: { facts: FinishFacts };
  /**
   * An internal error, with the reference that finds it in the log, or a configuration that cannot be used.
   */
  run_failed: { reference: string; what: string; because?: 'configuration' };
  /** The ledger is sealed with another key; nothing else changes. */
  sealed: { key: string };
  /**
   * The effects with these ids are done, or will never be: those with a reason, which is GitHub's, or why a
   * target was not told.
   */
  settled: {
    paid: readonly string[];
    impossible?: readonly { readonly id: string; readonly reason: string }[];
    /** The target of a notification keeps those of a run together, and calls that place so. */
    thread?: { readonly of: string; readonly id: string };
  };
}
