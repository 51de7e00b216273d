import type { Parked } from '../shapes/agent-progress.ts';
import type { Authority } from '../shapes/approval-authority.ts';
import type {
  BlockedHost,
  Changes,
  CommitSummary,
  Cost,
  Failure,
  FoundConcern,
  FoundReview,
  GateHit,
  PlanText,
  Report,
  VerifierOutput,
} from '../shapes/attempt-result.ts';
import type { Proceeding, WasLeft } from '../shapes/finishing.ts';
import type { RaisableLimit } from '../shapes/limits.ts';
import type { Account, Answered, Person, QueuedSteer, Source, Steer } from '../shapes/people.ts';
import type { Baseline, Proof } from '../shapes/proof.ts';
import type { Confidence, Decision } from '../shapes/score.ts';
import type { Settings, SwitchedOff, TaskOverrides } from '../shapes/settings.ts';
import type {
  HeldWork,
  OpenQuestion,
  Phase,
  PushByOther,
  SettledInteraction,
  Standing,
  Undo,
} from '../shapes/standing.ts';
import type {
  Dependency,
  EarlierRun,
  Replaced,
  Replacement,
  Restoration,
  RunIdentity,
  Task,
} from '../shapes/task.ts';
import type { PendingEffect, UndoneEffect } from './pending-effect.ts';

/** The complete state of a run after its last event; `state.json` in the ledger is exactly this. */
export type State = Readonly<{
  version: 3;
  /**
   * Counts the ledger's commits; one that was begun anew continues the count of the lost one. The pull
   * request is never overwritten with a lower number.
   */
  seq: number;
  run: RunIdentity;
  task: Task;
  /** Runs on the same issue that were rejected, of which agents are told; absent if there is none. */
  earlier?: readonly EarlierRun[];
  /** As they were when they were last read, with what the task tightens. */
  settings: Settings;
  /** What the task tightens; absent if it leaves everything to the configuration. */
  overrides?: TaskOverrides;
  requested_by: Person;
  /** The run whose place this one has taken, with others; absent if it has not. */
  replaces?: Replaced;
  /** Runs that take the place of this one, as far as they could be made; absent if nobody asked for them. */
  replaced_by?: Replacement;
  /**
   * What it still waited for when it stopped while it was blocked; absent unless it has stopped like that.
   */
  waits_for?: readonly Dependency[];
  /**
   * What it depended on was merged since the branch was made, or the iteration is an update: the work that is
   * due begins with the base's tip.
   */
  merges_base?: true;
  /**
   * The base is to be merged into the branch once the work under way is done; absent if nobody wants that,
   * and in ledgers of older versions.
   */
  update?: WantedUpdate;
  started_at: string;
  updated_at: string;
  /** The branch's head as last recorded. */
  head: string;
  /** When that head landed on the branch. */
  head_at: string;
  iteration: number;
  max_iterations: number;
  /** The number of the last attempt, 0 before the first. It never restarts within an iteration. */
  attempt: number;
  /** Attempts used since the last human input. */
  attempts_used: number;
  /** How often in a row work was lost with the process that did it. */
  times_lost: number;
  standing: Standing;
  /** The stage that is due, at work or on show; absent: the first one. */
  stage?: string;
  /** What the stage `plan` came to last, for those after it; absent until there is one. */
  plan?: Plan;
  /** The newest second opinion, on whatever head; absent until there is one. */
  review?: Review;
  queue: readonly QueuedSteer[];
  /** Every iteration including 0 and the current one, oldest first. */
  iterations: readonly SteeringIteration[];
  /** The attempts of the current iteration that have ended, oldest first. */
  attempts: readonly AttemptRecord[];
  /** Every agent that has worked, by `agentName`; absent before the first, and in older ledgers. */
  agents?: readonly string[];
  /** How long the newest agent with a result worked, in seconds; absent before, and in older ledgers. */
  worked_s?: number;
  /** What that agent changed, at most 50 paths, and what its models cost; absent as the time is. */
  worked?: Pick<AttemptRecord, 'files' | 'cost'>;
  /** The evaluation of `head`; null until it has been verified. */
  shown: Evaluation | null;
  /** What the verifiers last said of the base alone, under these settings; absent if nobody asked. */
  baseline?: Baseline;
  /** Verifiers whose results differed on the same tree, at most 20; absent until there is one. */
  flaky?: readonly FlakyVerifier[];
  /** How often the verifiers ran again for a base that had moved since an approval, by its id. */
  base_moves?: { readonly since: string; readonly times: number };
  /** The approvals so far, all for `shown.head_sha`; any change to what was reviewed clears them. */
  approvals: readonly Approval[];
  /** The report of the attempt that made `head`, or null. */
  report: Report | null;
  /** Reports with their commits, oldest first, kept while other commits are the head. */
  reports?: readonly { readonly head: string; readonly report: Report }[];
  interactions: readonly SettledInteraction[];
  /** What agents asked and nobody has answered yet, oldest first; absent or empty if there is nothing. */
  questions?: readonly OpenQuestion[];
  /** What an agent left that was stopped before it had finished; absent if there is nothing to go on from. */
  parked?: Parked;
  /** How often the model had no more for now in an iteration; absent until it had not. */
  rate_limits?: { readonly iteration: number; readonly times: number };
  owed: readonly PendingEffect[];
  /** The last effects that were refused for good, each with its reason; absent while none was. */
  undone?: readonly UndoneEffect[];
  /** Where targets keep the notifications of this run together, by their names; absent until one does. */
  threads?: Readonly<Record<string, string>>;
  /**
   * Who shaped the work without a steer: they pushed to the branch, wrote commits of an adopted one, were the
   * last to edit the issue, or said something there that an agent was given. Absent until someone does.
   */
  contributors?: readonly Account[];
  /** What others pushed, newest last, at most 20; absent until they do, and in older ledgers. */
  pushes?: readonly PushByOther[];
  /**
   * Someone else pushed after the run was first shown for review. Later heads contain that commit, so from
   * then on a comment approves only the commit that it names.
   */
  pushed_while_shown?: true;
  /**
   * Someone merged the base at that time, which for this base is nobody's own change; for another base it
   * would be.
   */
  base_merged_while_shown?: true;
  /** When the base was last changed, ISO 8601: what was said before was about another diff. */
  base_at?: string;
  /**
   * The base was changed after the run was first shown, and the former one was not the default branch: what
   * it held, which anybody may have pushed there, is now to be merged, too.
   */
  base_left_while_shown?: true;
  /** The last commit of ours on which the CI of the repository must not run yet; absent if there is none. */
  ci_skipped?: string;
  /** Gate rules that no longer hold work of this run; absent until someone allows one always. */
  allowed_rules?: readonly string[];
  /** Work of this iteration that was held and then not put on the branch; the next prompt mentions it. */
  set_aside?: SetAside;
  /** What agents of this run did without anybody being asked, at most 100; absent until they do. */
  ran?: readonly GateHit[];
  /** What people added to the limits of this run; absent until somebody does. */
  raised?: Partial<Record<RaisableLimit, number>>;
  /** What programs of this iteration wanted and did not get; absent until there is something, at most 20. */
  blocked?: readonly BlockedHost[];
  /**
   * What people should know about how the programs of this iteration ran; absent until there is something.
   */
  notices?: readonly string[];
  /** Agents or verifiers of this run have run without a sandbox; absent until they do. */
  unsandboxed?: true;
  /**
   * Somebody else than us has moved the branch, without `pushes`: in ledgers of older versions, or the branch
   * of the run whose work this one has begun with.
   */
  others_pushed?: true;
  /** GitHub signs its commits, because a rule demanded that when it began. Absent in older ledgers: not. */
  signs?: true;
  /** A commit that does not go on by itself any more, and why. Absent until there is one; others may. */
  left_to_people?: { readonly head_sha: string; readonly because: WasLeft };
  /** When somebody last deleted words that may have been heard, ISO 8601; absent until they do. */
  words_deleted_at?: string;
  /** Whose reviews this run has requested, such as `@ada`; absent until it does. */
  reviewers_asked?: readonly string[];
  /** Answers in the last hour to people without write access; absent until the first. */
  answered?: readonly Answered[];
  /**
   * Who asked, steered or pushed before the run, or before its ledger was lost, could not all be found out.
   * Then nobody without the role maintain may approve where people may not approve their own work.
   */
  people_unknown?: true;
  /** Present only if the run was begun anew because its ledger was lost. */
  restored?: Restoration;
}>;

/** A second opinion on a head. */
export interface Review extends Pick<FoundReview, 'by' | 'confidence' | 'problem' | 'omitted' | 'partial'> {
  /** Null if it was about the difference from another base. */
  readonly head: string | null;
  /** Every open one, and those that were settled lately, in the order of their ids. */
  readonly concerns: readonly Concern[];
}

export interface Concern extends FoundConcern {
  /** `c1`, `c2`, …: never given to another one in a run. */
  readonly id: string;
  readonly state: 'open' | 'resolved' | 'withdrawn' | 'dismissed';
  /** Who dismissed it, and why, which may be empty; absent if nobody did. */
  readonly dismissed?: { readonly by: string; readonly why: string };
}

/** What the stage `plan` came to. */
export interface Plan extends PlanText {
  readonly iteration: number;
  readonly attempt: number;
}

/** Held work that is not on the branch, and why. */
export interface SetAside extends Omit<HeldWork, 'refusal' | 'held_at'> {
  /** Present if someone denied it; `why` may be empty. */
  readonly denied?: { readonly by: string; readonly why: string };
}

/** A state known to be in one of these phases. */
export type In<P extends Phase> = State & { readonly standing: Extract<Standing, { phase: P }> };

/** One person's approval of one commit, and where to read it again. */
export interface Approval {
  readonly id: string;
  readonly by: Person;
  readonly at: string;
  readonly head_sha: string;
  readonly source: Source;
  /** Names of the failing verifiers it deliberately overrides. */
  readonly despite: readonly string[];
}

/** One iteration, as the table in the pull request shows it. `prompt` is all its steers, joined. */
export type SteeringIteration = Readonly<{
  iteration_number: number;
  prompt: string;
  timestamp: string;
  steers: readonly Steer[];
  files_modified: readonly string[];
  /** Whose files these are; absent in older ledgers, which list those of the run. */
  files_of?: 'iteration' | 'run';
  /** The agent's own summary. */
  output: string;
  head_before: string;
  head_after: string;
  attempts: number;
  score: number | null;
  /** The version of the formula of the score; absent without a score, and in ledgers of older versions. */
  formula?: string;
  verifiers: readonly {
    readonly name: string;
    readonly success: boolean;
    /** Absent if it is required, and in ledgers of older versions. */
    readonly required?: false;
    /** It has passed and failed on the same tree; absent if it has not. */
    readonly flaky?: true;
  }[];
  cost: Cost;
  /**
   * The time of all its attempts and of the verification of what people pushed; in ledgers of older versions
   * only that of agents that finished.
   */
  duration_s: number;
  /** Present if it is the way back to an earlier one; until it is done, the files are as before. */
  undo?: Pick<Undo, 'to' | 'by'> & { readonly done: boolean };
  /** Present if it brings the branch up to date; absent in ledgers of older versions. */
  update?: BaseUpdate;
  /** False while the iteration is in progress. */
  landed: boolean;
}>;

/** A wish that the base is merged into the branch. */
export interface WantedUpdate {
  /** The login of whoever wants it; null if only the configuration does. */
  readonly by: string | null;
  /** The agent resolves conflicts, whatever the configuration says. */
  readonly resolve?: true;
}

/** The merge of the base into the branch that an iteration is. */
export interface BaseUpdate extends WantedUpdate {
  readonly base: string;
  /** The commit of the base whose conflicts the agent resolves; absent if it has none to resolve. */
  readonly resolves?: string;
  readonly done: boolean;
}

export interface AttemptRecord {
  readonly attempt: number;
  /** The stage that failed; absent without a pipeline, and after verifiers. */
  readonly stage?: string;
  readonly outcome: 'green' | 'red' | 'failed';
  readonly head: string;
  readonly failure: Failure | null;
  /** The ref on the remote that keeps what was refused; absent if there is none. */
  readonly kept_ref?: string;
  readonly summary: string;
  readonly verifiers: readonly {
    readonly name: string;
    readonly success: boolean;
    readonly exit_code: number;
    /** Its first lines that tell of a failure, at most 500 characters; absent if it passed. */
    readonly said?: string;
    /** Absent if it is required, and in ledgers of older versions. */
    readonly required?: false;
    /** How often it was run on the same tree; absent if that is once. */
    readonly runs?: number;
    /** At most 5 tests that failed only in some of these runs; absent unless their results differed. */
    readonly flaky?: readonly string[];
  }[];
  /** What was verified, as it was found; absent if nothing was, and in ledgers of older versions. */
  readonly subject?: string;
  /** What it changed, at most 50 paths; absent if that is nothing, and in ledgers of older versions. */
  readonly files?: readonly string[];
  /** The rules that matched; absent if none did, and in ledgers of older versions. */
  readonly gates?: readonly string[];
  /** What its models cost; absent if nothing is known of it, and in ledgers of older versions. */
  readonly cost?: Cost;
  /** Of its agent and its verifiers together; in ledgers of older versions only of what ended it. */
  readonly duration_s: number;
}

/** A verifier that has passed and failed on the same tree, or failed there in different tests. */
export interface FlakyVerifier {
  readonly name: string;
  /** How often in this run. */
  readonly times: number;
  /** The tests that failed in one run and not in another, at most 5. */
  readonly tests: readonly string[];
}

/** What people review and approve: a commit with everything known about it. */
export type Evaluation = Readonly<{
  head_sha: string;
  at: string;
  changes: Changes;
  /** The commits of the iteration, if known. */
  commits?: CommitSummary;
  verifiers: readonly VerifierOutput[];
  /** What was verified, as it was found; absent in ledgers of older versions. */
  subject?: string;
  gates: readonly GateHit[];
  /** What may weaken tests, and is no gate; absent if nothing does, and in ledgers of older versions. */
  remarks?: readonly string[];
  /** Rules that the configuration had switched off, with its reasons; absent if there was none. */
  gates_off?: readonly SwitchedOff[];
  /** Absent if nothing could be proven, and in ledgers of older versions. */
  proof?: Proof;
  /** Absent in ledgers of older versions. */
  baseline?: Baseline;
  /** The tip of the base whose merge with the head the verifiers saw; absent if they saw the head alone. */
  merged_with?: string;
  /** The newer tip of the base while people are asked; absent if it is the same as far as is known. */
  base_now?: { readonly sha: string; readonly commits: number };
  /** Who has a say about the changed files besides `approval.by`; absent if nobody has. */
  authority?: Authority;
  /** How many merged runs of this agent stood behind the decision; absent if that was not asked. */
  merged_runs?: number;
  confidence: Confidence;
  /** The confidence without the second opinion, which a change may talk to; absent if there is none. */
  without_review?: Confidence;
  decision: Decision;
  /** What followed from the decision; absent if nothing did, and in ledgers of older versions. */
  proceeding?: Proceeding;
}>;
