import type { Authority } from './approval-authority.ts';
import type { Severity } from './gate-rules.ts';
import type { BudgetName } from './limits.ts';
import type { Account } from './people.ts';
import type { Baseline, Proof } from './proof.ts';
import type { Use } from './settings.ts';

/** The agent's own account of its work (the JSON it may write to `COXSWAIN_REPORT_FILE`). */
export interface Report {
  readonly summary: string;
  readonly status: 'done' | 'uncertain' | 'cannot';
  readonly tool_calls: readonly ToolCall[];
  readonly question?: string;
}

export interface ToolCall {
  readonly kind: string;
  readonly title: string;
  readonly command?: string;
  readonly outcome: 'ok' | 'failed' | 'denied' | 'unknown';
}

export interface FileChange {
  readonly path: string;
  readonly previous_path?: string | undefined;
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  readonly binary?: true | undefined;
}

/** A changed file, and what changed in it. */
export interface FileDiff extends FileChange {
  /**
   * The file's part of a unified diff, with or without its headers; perhaps cut at its end. Absent if it is
   * binary, or if nobody has read it.
   */
  readonly diff?: string;
}

/** A diff as it is listed: every file, no bodies. `summary` reads `3 files changed, +45, -12`. */
export interface Changes {
  /** At most 3,000, as GitHub lists them. */
  readonly files: readonly FileChange[];
  /** How many more there are; absent if all are listed. The summary counts all of them. */
  readonly omitted?: number;
  readonly summary: string;
}

/** A commit as people see it in a list of them. */
export interface CommitLine {
  readonly sha: string;
  /** At most 200 characters. */
  readonly subject: string;
}

/** The commits of an iteration, whoever made them. */
export interface CommitSummary {
  readonly count: number;
  /** The last ten, newest first. */
  readonly newest: readonly CommitLine[];
}

/** A verifier's result. `stdout` and `stderr` are the last 10,000 characters, redacted. */
export type VerifierOutput = Readonly<{
  /** `<repo>:<name>` */
  verifier: string;
  name: string;
  required: boolean;
  /** -1 when the command could not start. */
  exit_code: number;
  stdout: string;
  stderr: string;
  success: boolean;
  duration_s: number;
  timed_out: boolean;
  truncated: boolean;
  /** What its report, or else its closing lines, say of single tests; absent where neither is understood. */
  tests?: TestReport | undefined;
  /**
   * Other runs of it that failed on the same tree, oldest first, at most 4: a red one is run once more, and
   * what it says last counts. Absent if there was none, and in ledgers of older versions.
   */
  failed_runs?: readonly FailedRun[] | undefined;
  /** Present if it is a check of the repository's own CI; -1 is then the code of what has no verdict. */
  check?: CheckEvidence;
}>;

/** A run of a verifier that failed, and does not count. Redacted. */
export type FailedRun = Readonly<{
  exit_code: number;
  /** Absent if only the record of an attempt tells of it. */
  duration_s?: number | undefined;
  /** Its first lines that tell of a failure, at most 500 characters. */
  said: string;
  /** How many tests failed; absent if that is not known. */
  failed?: number | undefined;
  /** Their names, if all of them are known and there are at most 20. */
  tests?: readonly string[] | undefined;
}>;

/**
 * What a verifier says of single tests, which whoever wrote them can make it say: its exit code decides. The
 * texts are redacted.
 */
export type TestReport = Readonly<{
  /** Where the counts are from: closing lines also where they count more than the reports that were read. */
  from: 'junit' | 'closing_lines';
  /** With those that failed and those that were skipped. */
  total: number;
  failed: number;
  skipped: number;
  /** The first that failed, at most 100; only JUnit names them. */
  failures: readonly TestFailure[];
  /** Reports that were not read, or not to their end, and why; absent if there are none. */
  unread?: readonly string[] | undefined;
}>;

export type TestFailure = Readonly<{
  /** Such as `cart › counts an empty list`, at most 300 characters. */
  name: string;
  /** What went wrong, at most 1,000 characters; may be empty. */
  message: string;
  /** A file of the repository, relative to its root; absent if it is not known. */
  path?: string | undefined;
  /** Absent if it is not known. */
  line?: number | undefined;
}>;

/** The check run that a verifier's result is. */
interface CheckEvidence {
  readonly name: string;
  /** The slug of the App that made it. */
  readonly app: string;
  /** GitHub's word, or `absent`. */
  readonly status: string;
  /** GitHub's word; null if it had not ended. */
  readonly conclusion: string | null;
  /** GitHub's time, ISO 8601. */
  readonly completed_at?: string | null;
  /** GitHub's id; absent with the address if there was no such check run. */
  readonly id?: number;
  readonly url?: string;
}

/** A rule that requires a human, and what triggered it. */
export interface GateHit {
  readonly rule: string;
  readonly severity: Severity;
  readonly evidence: string;
  /** The file that it is about; absent if it is about a command, and in ledgers of older versions. */
  readonly path?: string;
  /** In the new version of the file, from 1; absent if it is about the whole file or a removed line. */
  readonly line?: number;
  /** What approving would let happen, as part of a sentence; absent in ledgers of older versions. */
  readonly allows?: string;
}

/** A tool call that an agent puts before people. Redacted. */
export interface AskedCall {
  /** Unique among the calls of an attempt. */
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly command?: string;
  /** Files that it names, at most 20; absent if it names none. */
  readonly paths?: readonly string[];
  /** The rules because of which people are asked; none if they are asked about the kind of call. */
  readonly hits: readonly GateHit[];
}

/** A host that a program wanted, and that its network does not allow. */
export interface BlockedHost {
  /** With the port, unless it is 443 or 80. */
  readonly host: string;
  /** What the program is for: the key under `network` in the configuration. */
  readonly use: Use;
  /** The command that wanted it, as far as it is known; at most 200 characters. */
  readonly command: string;
  /**
   * `unlisted`: the configuration can allow it. `model`: only our endpoint leads there; older versions called
   * this `unlisted`, too. `private`: it resolves to a private address, or is one.
   */
  readonly why: 'unlisted' | 'model' | 'private';
}

/** What the programs of an attempt met besides their results; absent if there is nothing to say. */
export interface Observations {
  /** At most 20. */
  readonly blocked?: readonly BlockedHost[];
  /** What people should know about how they ran, such as a limit that cannot be held here; redacted. */
  readonly notices?: readonly string[];
  /** Whose words the agent was given besides its task and what people steer it with. */
  readonly heard?: readonly Account[];
}

/** What an agent that finished leaves behind. */
export interface Work {
  /** The commit it started from. */
  readonly head_before: string;
  /** Its own commit; the same if it changed nothing. */
  readonly head: string;
  readonly report: Report;
  readonly changes: Changes;
  readonly cost: Cost;
  readonly duration_s: number;
  /** Rules that matched what the agent ran without anybody being asked; absent if none did. */
  readonly ran?: readonly GateHit[];
  /** The commit says that the CI of the repository must not run yet. */
  readonly skips_ci?: true;
  /** The same commit before GitHub signed it, which may have been held; absent if nobody signed it. */
  readonly unsigned?: string;
  /** What a stage that plans came to; its files are not in the commit. */
  readonly plan?: PlanText;
  /** The commit of the base that is merged by it; absent if none is. */
  readonly merges?: string;
}

/** A plan for later stages. Redacted. */
export interface PlanText {
  readonly text: string;
  /** Files that its agent changed all the same, which was dropped, at most 50; absent if there are none. */
  readonly dropped?: readonly string[];
}

/** Work of an agent that was stopped before it had finished. */
export interface UnfinishedWork {
  /** The commit it started from. */
  readonly head_before: string;
  /** A commit on top of that with what it had changed. */
  readonly head: string;
  /** The ref that keeps the commit on the remote; null if only the mirror of one machine has it. */
  readonly kept: string | null;
  /** Why the remote does not keep it: it refused, or must not have it. */
  readonly refusal?: string;
}

/** Why an attempt failed. */
export interface Failure {
  readonly kind:
    | 'exit'
    | 'timeout'
    | 'not_found'
    /** The agent cannot work here: it is not installed, too old, or does not speak our protocol. */
    | 'agent_unusable'
    /** The key of its model is missing or refused. */
    | 'model_key'
    /** Its model does not answer, or refuses for now. */
    | 'model_unavailable'
    | 'crash'
    | 'setup'
    | 'sandbox'
    /** A budget of tokens, money or tool calls is used up. */
    | 'budget'
    /** It used more of the machine than it may: memory, processes or disk. */
    | 'resources'
    /** Git cannot take the files as they are. */
    | 'worktree'
    | 'incoherent_report'
    /** What its stage came to does not pass the check of that stage. */
    | 'stage_check'
    | 'cannot'
    | 'branch_moved'
    /** Git cannot merge the head with the base, or the agent that was to has not come to an end. */
    | 'conflict'
    | 'push_refused'
    | 'denied'
    /** It ended without a change. */
    | 'nothing_changed'
    | 'lost';
  /** One sentence, with the last output of the agent or Git; redacted. */
  readonly message: string;
  /**
   * The commit of the base, with the kind `conflict`; absent if no agent can resolve it, and in ledgers of
   * older versions.
   */
  readonly tip?: string;
  /** What failed of the stage, with the kind `stage_check`. */
  readonly check?: string;
  /** Which budget is used up, with the kind `budget`. */
  readonly budget?: BudgetName;
}

export interface Cost {
  readonly tokens?: number;
  readonly usd?: number;
}

/** What another agent, which has not done the work, thinks of a commit. Redacted. */
export interface FoundReview {
  /** The agent that gave the opinion. */
  readonly by: string;
  /** 0..1; null if it gave no opinion that counts, and `problem` says why. */
  readonly confidence: number | null;
  readonly problem?: string;
  /** At most 50, the worst of them. */
  readonly concerns: readonly FoundConcern[];
  /** How many more there were; absent if all are listed. */
  readonly omitted?: number;
  /** It was not shown all of the change; absent if it was. */
  readonly partial?: true;
  /** Ids of former concerns that the change has dealt with, or that were none. */
  readonly resolved: readonly string[];
  readonly withdrawn: readonly string[];
  /** Ids of former concerns whose lines have changed since. */
  readonly touched: readonly string[];
  /** Where the lines of the other former concerns are now, by id; absent if nothing is known of it. */
  readonly lines?: Readonly<Record<string, number>>;
  readonly cost?: Cost;
}

/** What a reviewer is concerned about. */
export interface FoundConcern {
  /** Of a former one; absent if it is new. */
  readonly id?: string;
  readonly file: string;
  /** In the new version of the file, from 1; absent if it is about the whole file. */
  readonly line?: number;
  readonly severity: 'low' | 'medium' | 'high';
  readonly text: string;
}

/** What was found out about a commit, to be judged. */
export type Found = Readonly<{
  head: string;
  verifiers: readonly VerifierOutput[];
  changes: Changes;
  /** Absent in ledgers of older versions, and if the iteration's first commit no longer exists. */
  commits?: CommitSummary;
  /** The files that the iteration changed, whoever did; absent as the commits are. At most 3,000. */
  own_files?: readonly string[];
  gates: readonly GateHit[];
  /**
   * A digest of the tree that the verifiers saw, and of everything else that decides what they say, as far as
   * that is known: where it is the same, the same was verified. Absent in ledgers of older versions.
   */
  subject?: string;
  /** What may weaken tests, which is no gate; absent if nothing does, and in ledgers of older versions. */
  remarks?: readonly string[];
  /** What they mean is said where the evaluation keeps them. */
  proof?: Proof;
  baseline?: Baseline;
  merged_with?: string;
  authority?: Authority;
  merged_runs?: number;
  /** Absent if nobody was asked for one, or the one on this head still holds. */
  review?: FoundReview;
  duration_s: number;
}>;
