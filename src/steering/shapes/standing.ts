import type { AskedCall, Found, GateHit, Work } from './attempt-result.ts';
import type { CheckReport } from './check-report.ts';
import type { Person, QueuedSteer } from './people.ts';
import type { AskedQuestion, OnNoAnswer } from './question.ts';
import type { OnTimeout } from './settings.ts';
import type { Dependency, SpawnedTask } from './task.ts';

/**
 * What a run holds in each phase, with exactly that phase's data. Each file in `phases` adds its own, so that
 * nothing else has to list them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the files of the phases add the members
export interface Standings {}

export type Phase = keyof Standings;

/** Where a run stands. */
export type Standing = Readonly<Standings[Phase]>;

/** What the task depends on is not merged yet, or too many runs are open; nothing of it has begun. */
export interface Blocked {
  readonly phase: 'blocked';
  /** Everything that has to be merged. */
  readonly on: readonly Dependency[];
  /**
   * The runs that it waits behind, once everything is merged; absent while that is not, where no number of
   * open runs is set, and in ledgers of older versions.
   */
  readonly behind?: readonly number[];
}

/** An agent has the lease. */
export interface Working {
  readonly phase: 'working';
  readonly hold: Lease;
  /** No agent works, but work that a human allowed is put on the branch. */
  readonly held?: HeldWork;
  /** The tool call that the agent waits to make. */
  readonly asking?: AskedPermission;
  /** Steers on their way to the agent, oldest first. */
  readonly telling?: readonly QueuedSteer[];
}

/** The verifiers run under a lease. */
export interface Verifying {
  readonly phase: 'verifying';
  readonly hold: Lease;
  readonly work: Exclude<WorkKind, 'attempt'>;
  readonly starts_ci?: true;
  readonly undoes?: Undo;
}

/** The verifiers have run, and checks of the repository's own CI are waited for; nobody has a lease. */
export interface AwaitingChecks {
  readonly phase: 'verifying';
  readonly work: Exclude<WorkKind, 'attempt'>;
  readonly awaits: AwaitedChecks;
}

/** The agent is held until somebody answers, or until a time. */
export interface AskedPermission {
  readonly interaction: Interaction;
  readonly call: AskedCall;
  /** ISO 8601; then it goes on without. */
  readonly until: string;
}

/** Nothing happens until somebody says `/resume`. */
export interface Paused {
  readonly phase: 'paused';
  readonly why: PauseReason;
  /** What has to be done if the run cannot go on where it stood. */
  readonly resumes_with: WorkKind;
  /** Present if a person paused it. */
  readonly asked?: PauseAsked;
  /**
   * When it goes on by itself, ISO 8601, because its model answers again then, or is asked again; absent for
   * other reasons.
   */
  readonly until?: string;
}

/** Who paused the run, why, and where it stood. */
export interface PauseAsked {
  readonly by: string;
  /** May be empty. */
  readonly reason: string;
  readonly at: string;
  /** The work that was due or in progress, or the question to a human; a policy or people had approved it. */
  readonly stood: { readonly due: DueWork } | { readonly asking: AskingHuman } | { readonly approved: true };
  /** The head at that time. */
  readonly head: string;
  /** What was then known of that head counted. */
  readonly evaluated: boolean;
}

/** A wait for a human, with a deadline. */
export type AskingHuman = Extract<Standing, Asking>;

/** Whether it ended with a merge, which nobody can undo. */
export function isMerged(standing: Standing): boolean {
  return standing.phase === 'done' && standing.merged;
}

/** Whether a process has the lease. */
export function isLeased(standing: Standing): standing is Leased {
  return 'hold' in standing;
}

export type Leased = Extract<Standing, { hold: Lease }>;

/** Whether nothing is left to verify but checks of the repository's own CI, which are waited for. */
export function isAwaitingChecks(standing: Standing): standing is AwaitingChecks {
  return standing.phase === 'verifying' && 'awaits' in standing;
}

/** Steers on their way to an agent at work, oldest first. */
export function steersOnTheirWay({ standing }: { readonly standing: Standing }): readonly QueuedSteer[] {
  return (standing.phase === 'working' && standing.telling) || [];
}

/** The phase as people see it: an agent that is held works, and yet waits for them. */
export function shownPhase({ standing, questions = [] }: Shown): Phase {
  if (standing.phase !== 'working') return standing.phase;
  if (standing.asking !== undefined) return 'awaiting_permission';
  return questions.length > 0 ? 'awaiting_answer' : 'working';
}

interface Shown {
  readonly standing: Standing;
  readonly questions?: readonly OpenQuestion[];
}

/** Whether the run waits for a human, with a deadline. */
export function isAskingHuman(standing: Standing): standing is AskingHuman {
  return 'interaction' in standing;
}

/**
 * Whether an agent goes on once people have said something: it was stopped, or its stage has ended. Otherwise
 * they are asked about the head, which is verified when it moves, or about work that is not on the branch.
 */
export function goesOnWithAgent(standing: Standing): boolean {
  if (standing.phase === 'timed_out') return goesOnWithAgent(standing.before);
  return standing.phase === 'awaiting_answer' || standing.phase === 'awaiting_stage' || 'call' in standing;
}

/**
 * What an engine has to do: a whole attempt, only the verifiers of an attempt, or the verifiers on a head
 * that does not belong to an attempt.
 */
export type WorkKind = 'attempt' | 'verify_attempt' | 'verify_head';

/** The work that waits for an engine; `land` puts held work on the branch, then verifies it. */
export type DueWork =
  /**
   * `starts_ci`: a new head lets the CI of the repository run, and is then verified. `undoes`: a new head has
   * the files of an earlier one. `goes_on`: the next stage of the same attempt.
   */
  | {
      readonly work: WorkKind;
      readonly starts_ci?: true;
      readonly undoes?: Undo;
      readonly goes_on?: true;
    }
  | { readonly work: 'land'; readonly held: HeldWork };

/** Work of an attempt that is not on the branch until a human allows it. */
export interface HeldWork {
  readonly work: Work;
  /** The gates because of which it is held. */
  readonly hits: readonly GateHit[];
  /** The ref that keeps the commit on the remote; null if only the mirror of one machine has it. */
  readonly kept: string | null;
  /** When it was held, ISO 8601; asking again about the same work does not change it. */
  readonly held_at: string;
  /** Why the remote refused to take it, when it was held or when a human had allowed it. */
  readonly refusal?: string;
}

/** What every wait for a human has. */
export interface Asking {
  readonly interaction: Interaction;
  /** When the review timer fires, ISO 8601. */
  readonly deadline: string;
  /** The last reminder since a human did something, and when it was due; absent until there is one. */
  readonly reminded?: { readonly percent: ReminderPercent; readonly at: string };
}

export interface AwaitingApproval extends Asking {
  readonly phase: 'awaiting_approval';
  /** When it stops waiting unless somebody says something, ISO 8601, and for what; absent: people decide. */
  readonly proceeds?: { readonly at: string; readonly on_timeout: OnTimeout };
}

/**
 * The agent was stopped with a question that nobody had answered yet; the interaction is that of the first.
 */
export interface AwaitingAnswer extends Asking {
  readonly phase: 'awaiting_answer';
}

/** A stage has ended, and the next one begins once people have approved what it came to. */
export interface AwaitingStage extends Asking {
  readonly phase: 'awaiting_stage';
}

export type AwaitingPermission = AwaitingPush | AwaitingCall;

/** Work is not on the branch before a human allows it. */
interface AwaitingPush extends Asking {
  readonly phase: 'awaiting_permission';
  /** Its `head_sha` is the branch's head; the held commit is `held.work.head`. */
  readonly interaction: Interaction;
  readonly held: HeldWork;
}

/** The agent was stopped before a tool call about which nobody had decided in time. */
interface AwaitingCall extends Asking {
  readonly phase: 'awaiting_permission';
  readonly call: AskedCall;
}

export interface AwaitingResolution extends Asking {
  readonly phase: 'awaiting_resolution';
  readonly interrupt: Interrupt;
  /** Present while the runs are made that take the place of this one; nobody else decides meanwhile. */
  readonly spawning?: { readonly by: Person; readonly cause: string; readonly tasks: readonly SpawnedTask[] };
}

/** `ledger_lost` is only ever shown, never recorded: such a run has no ledger to record it in. */
export type PauseReason =
  | 'asked'
  | 'branch_deleted'
  | 'reopened'
  | 'rate_limit'
  | 'model_unavailable'
  | 'ledger_lost';

/**
 * A decision that waits for a human. The id is `<kind>:<pull request>:<seq>`, which is also the external_id
 * of the check run.
 */
export interface Interaction {
  readonly id: string;
  readonly kind: InteractionKind;
  readonly opened_at: string;
  /** The branch's head. An approval counts only for this commit. */
  readonly head_sha: string;
  /** The attempt whose agent asked; absent if none did, and in ledgers of older versions. */
  readonly of?: AttemptId;
}

/** What is asked: the phase in which it is asked names it, but for two. */
export type InteractionKind = Phase extends infer P
  ? P extends 'awaiting_answer'
    ? 'question'
    : P extends 'awaiting_resolution'
      ? 'interrupt'
      : P extends `awaiting_${infer Kind}`
        ? Kind
        : never
  : never;

/** The phase in which people are asked something of this kind. */
export function phaseOf(kind: InteractionKind): AskingHuman['phase'] {
  if (kind === 'question') return 'awaiting_answer';
  return kind === 'interrupt' ? 'awaiting_resolution' : `awaiting_${kind}`;
}

export interface AttemptId {
  readonly iteration: number;
  readonly attempt: number;
  /** Absent: `implement`, the only one there is without a pipeline. */
  readonly stage?: string;
}

/** A question of an agent that nobody has answered yet. */
export interface OpenQuestion {
  readonly interaction: Interaction & { readonly of: AttemptId };
  readonly asked: AskedQuestion;
  /** What happens if nobody answers: the stricter of what the configuration and the agent say. */
  readonly on_timeout: OnNoAnswer;
  /** What was answered to the same question before; what has happened since may call for another answer. */
  readonly suggestion?: { readonly answer: string; readonly by: string };
}

export interface SettledInteraction extends Interaction {
  readonly settled_at: string;
  readonly by: string;
  readonly how: string;
  /**
   * What an agent asked to do, in at most 500 characters: its kind, command or title, and paths as JSON; in
   * ledgers of older versions only the command or title.
   */
  readonly asked?: string;
  /** The answer that the agent waits for. */
  readonly answer?: CallAnswer;
  /** Why somebody denied held work; absent if they gave no reason. */
  readonly reason?: string;
  /** Present if it was a question of an agent. */
  readonly question?: AskedQuestion;
  /** What was answered to it; absent if nothing was. */
  readonly reply?: string;
}

/** Whether the agent may make a tool call; if not, `why` is for the agent and may be empty. */
export interface CallAnswer {
  readonly allowed: boolean;
  readonly why: string;
}

/** Why the run stopped for a human. */
export interface Interrupt {
  /**
   * `budget_exceeded`: the run has used up what it may spend on models, or an attempt its tool calls.
   * `agent_unusable`: the agent cannot work here, or its model's key is missing or refused.
   * `red_before`: what fails, fails on the base without the change, too.
   * `conflict`: the head cannot be merged with the base, which the verifiers were to see.
   * `manual_interrupt`: a person wanted it.
   * `nothing_changed`: the agent has finished without a change.
   * `unanswered`: nobody answered a question of the agent in time.
   * `circles`: an attempt came to what an earlier one had come to, and fails as that one did.
   */
  readonly type:
    | 'task_exceeded_retries'
    | 'zero_confidence'
    | 'budget_exceeded'
    | 'agent_unusable'
    | 'red_before'
    | 'conflict'
    | 'manual_interrupt'
    | 'nothing_changed'
    | 'unanswered'
    | 'circles';
  readonly retry_count: number;
  readonly failure_reason: string;
  /** Who wanted it; absent if no person did. */
  readonly by?: string;
  /** A commit that no agent has made was not taken; absent otherwise, and in ledgers of older versions. */
  readonly push_refused?: true;
}

/** The way back to what an iteration came to. */
export interface Undo {
  /** The number of the iteration. */
  readonly to: number;
  /** The commit that it came to. */
  readonly head: string;
  /** The login of whoever asked for it. */
  readonly by: string;
}

/** A head that is not ours. */
export interface PushByOther {
  readonly head: string;
  readonly by: string;
  /** In which iteration it came. */
  readonly iteration: number;
}

/** Identifies a lease: a result counts only if its lease is the current one. */
export interface LeaseId extends AttemptId {
  readonly holder: string;
}

export interface Lease extends LeaseId {
  /** When it was taken, ISO 8601; absent in ledgers of older versions. */
  readonly since?: string;
  /** When the sweep may hand the work to another process, ISO 8601. */
  readonly until: string;
  /** The job of GitHub Actions that does the work; absent if none does, and in ledgers of older versions. */
  readonly job?: Job;
}

/** A run of a workflow. What GitHub runs again keeps its id and gets the next attempt. */
export interface Job {
  readonly run_id: number;
  readonly run_attempt: number;
}

/** What a run waits for besides events. */
export interface Deadline {
  readonly kind: TimerKind;
  /** ISO 8601 */
  readonly at: string;
}

/**
 * `proceed`: people have had their time to say something. `checks`: so has the repository's own CI.
 * `question`: they have had their time to answer. `rate_limit`: the model answers again.
 */
export type TimerKind = 'review' | 'reminder' | 'proceed' | 'checks' | 'question' | 'rate_limit';

/** How much of the time to answer has passed, in percent, when people are reminded. */
export type ReminderPercent = 50 | 90;

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
