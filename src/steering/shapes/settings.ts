import type { AnnouncedEvent } from './announced-events.ts';
import type { Severity } from './gate-rules.ts';
import type { Limits } from './limits.ts';
import type { Role } from './people.ts';
import type { QuestionSettings } from './question.ts';

/**
 * The configuration of a run: that of the default branch for the run's base, with every default filled in
 * and tightened by its task. Read again for each attempt, kept in the ledger. Durations are in seconds.
 *
 * Decisions import nothing, so this says what they read; what the configuration's schema reads has to fit it.
 * A key that nothing reads by its name need not be here, and older ledgers lack what is optional.
 */
export type Settings = Readonly<{
  /** SHA-256 of the configuration file on the default branch; an approval is bound to it. */
  digest: string;
  /** The configuration as the inputs of a workflow gave it, where there is no file. */
  inputs?: string;
  /** The path of the configuration, where it is not the usual one. */
  file?: string;
  /** The name of the check run that decides about merging into the run's base; an approval is bound to it. */
  check: string;
  /** Globs of the branches that share this check; absent if it belongs to one branch. */
  shared_by?: readonly string[];
  agent: AgentChoice;
  /** What the worker profile of the task tells the agent of its role; absent: nothing. */
  instructions?: string;
  /** The names of the worker profiles that a task can choose; absent: there are none. */
  profiles?: readonly string[];
  /** The stages of an attempt, in order; absent: only `implement`. */
  stages?: readonly Stage[];
  /** Who gives a second opinion on work whose verifiers passed; absent: nobody. */
  review?: Reviewer;
  /** The pipelines of the configuration that a task can choose, by name; absent: there are none. */
  pipelines?: Readonly<Record<string, Pipeline>>;
  /** Shell commands run before the agent and before the verifiers. */
  setup: readonly string[];
  /** Globs of files of the commit that set-up may change for the verifiers. */
  setup_changes?: readonly string[];
  verifiers: readonly VerifierSpec[];
  /** Checks of the repository's own CI that count as verifiers; absent if there are none. */
  checks?: readonly CheckSpec[];
  /** What the verifiers see: the head, or its merge with the base. Absent: the head. */
  verify_against?: 'merge';
  /** What happens when the base cannot be merged; absent: people are asked. */
  on_conflict?: 'resolve';
  /** Whether the tests of a change are run against the base, too; absent in older ledgers: they are not. */
  proof?: 'on' | 'off';
  /** Globs of test files; absent: the usual layouts. */
  tests?: readonly string[];
  /** The task is marked as critical; absent: it is not. */
  critical?: true;
  /** What owners say about gates; absent: the rules as they are. */
  gates?: GateSettings;
  approval: ApprovalSettings;
  steering: {
    readonly max_iterations: number;
    readonly review_timeout_s: number;
    /** Whether a steer is told to an agent at work that can be told; absent: it waits for its end. */
    readonly while_working?: 'tell';
  };
  /** Absent in older ledgers and where nothing is written: `usualQuestions`. */
  questions?: QuestionSettings;
  /** Who may choose an option of a question besides people with `write`; absent: nobody else. */
  answers?: { readonly by: readonly Approver[] };
  /** `ada` or `acme/core`: who is asked when a run cannot go on; absent: whoever asked for it. */
  interrupts?: { readonly ask: readonly string[] };
  /** False: an agent whose model has no more for now fails, instead of waiting for it. */
  wait_for_rate_limit?: false;
  /** Whom of the operator's targets the run notifies, and of what; absent: nobody. */
  notify?: readonly NotifyRule[];
  attempts: { readonly max: number };
  /** How often a required verifier that failed is run once more on the same tree; absent in older ledgers. */
  flaky?: { readonly reruns: number };
  limits: Limits;
  /** How many runs of the repository may be open at once; absent: any number. */
  open_runs?: number;
  /** How many lines a change may have, beyond which it is a gate; absent: any number. */
  diff_lines?: number;
  /** How its commits are made; absent in older ledgers and where nothing is written. */
  commits?: CommitSettings;
  /** What the operator allows at most, as far as there is such a bound; absent if there is none. */
  most?: Partial<Limits> & { readonly network?: NetworkSettings };
  /** Absent in older ledgers and where nothing is written: `usualPermissions`. */
  permissions?: PermissionSettings;
  labels: { readonly trigger: string };
  sandbox: SandboxMode;
  network: NetworkSettings;
  /** Registries besides the public ones; absent if there are none. */
  registries?: readonly RegistrySettings[];
  /** When the repository's own CI may run what an agent wrote. */
  ci: 'at_once' | 'after_look';
  /** What of the task's own settings no longer fits the configuration and is ignored, in words. */
  ignored?: readonly string[];
}>;

interface CommitSettings {
  /** Who signs them; absent: GitHub, if a rule demands that they are signed. */
  readonly sign?: 'github' | 'off';
  /** `Assisted-by` names the agent and its model; absent: nothing does. */
  readonly disclose?: 'assisted-by';
}

/** The settings that a task brought with it, as they were checked; the configuration is read without them. */
export type TaskOverrides = Readonly<Record<string, unknown>>;

/** A registry of packages. Its token is in a variable of ours, never in the settings. */
export interface RegistrySettings {
  /** With the port, unless it is 443. */
  readonly host: string;
  readonly kind?: 'npm' | 'pypi' | 'go' | 'cargo' | 'maven';
  /** Of npm the scopes, of Go the modules that it has; absent: everything. */
  readonly scopes?: readonly string[];
  readonly token_env?: string;
}

/** `required`: no run without a sandbox. `preferred`: logs a warning when there is none. */
export type SandboxMode = 'required' | 'preferred' | 'off';

/** What programs may reach, by what they are for. */
export interface NetworkSettings {
  readonly setup: Reach;
  readonly agent: Reach;
  readonly verifiers: Reach;
}

/** What a program is for: a key of `network`. */
export type Use = keyof NetworkSettings;

/**
 * Words and names of hosts, such as `['registries', 'api.example.com', '*.example.org:8443']`; empty:
 * nothing. `registries` are the public registries of packages and those of the operator, `model` the models
 * through our endpoint, `open` any public host, and `host` the network of the machine itself.
 */
export type Reach = readonly string[];

export type AgentChoice = CommandAgent | ScriptedAgent | ProtocolAgent;

/** Any program that reads the prompt and edits files. */
interface CommandAgent {
  readonly use: 'command';
  readonly command: readonly string[];
  readonly timeout_s: number;
}

interface ScriptedAgent {
  readonly use: 'scripted';
  readonly script: string;
  readonly timeout_s: number;
}

/** An agent that speaks the Agent Client Protocol: one that we know, or any other by its command. */
export interface ProtocolAgent {
  /** The name of its profile, or `acp`. */
  readonly use: string;
  /** The program and its arguments, always with `acp`; with a profile instead of the one that it starts. */
  readonly command?: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** Paths on the default branch, each of a skill's file or folder; absent: none. */
  readonly skills?: readonly string[];
  readonly mcp?: readonly McpServer[];
  readonly timeout_s: number;
}

/**
 * A named step of an attempt: a session of its own, on the commit that the one before has left. What a stage
 * named `plan` writes is a plan, which later stages are given; it changes no file.
 */
export interface Stage {
  readonly name: string;
  /** What it is told besides the task: a text, or a file of the default branch. Absent: nothing. */
  readonly instructions?: string | { readonly file: string };
  /** Absent: the agent of the run. */
  readonly agent?: StageAgent;
  /** What has to hold of its outcome, in this order; absent: nothing. */
  readonly checks?: readonly StageCheck[];
  /** How often it is tried again; absent: as often as attempts are left. */
  readonly retries?: number;
  /** People see its outcome before the next stage begins. */
  readonly approve?: true;
}

/** An agent with what its worker profile tells it of its role. */
export interface StageAgent extends Pick<Settings, 'instructions'> {
  readonly agent: AgentChoice;
  /** What it may use, where that is less than for the run; absent: as much. */
  readonly limits?: Partial<Limits>;
}

export interface Reviewer extends StageAgent {
  /** What the stage `review` tells it besides; absent: nothing. */
  readonly told?: Stage['instructions'];
}

/** A file that has to be there, or a shell command and how it has to end. */
export type StageCheck =
  | { readonly file: string }
  | { readonly run: string; readonly expect: 'pass' | 'fail' };

/** The stages of an attempt; the second opinion on its outcome comes after the verifiers. */
export interface Pipeline {
  readonly stages: readonly Stage[];
  readonly review?: Reviewer;
}

type Effort = 'low' | 'medium' | 'high';

/** A server of the Model Context Protocol that the agent may use, started in its sandbox. */
interface McpServer {
  readonly name: string;
  readonly command: readonly string[];
}

/** What is done with a tool call of an agent that asks before it. */
export type Permit = 'allow' | 'ask' | 'deny';

/** What agents may do; where nothing is written, what no rule matches is allowed. */
export interface PermissionSettings {
  readonly edit: Permit;
  readonly delete: Permit;
  readonly move: Permit;
  readonly execute: Permit;
  /** By gate rule, for calls that it matches. */
  readonly rules: Readonly<Record<string, Permit>>;
  /** How long an agent is held until somebody answers; then it is stopped until somebody does. */
  readonly hold_s: number;
}

/** A target of the operator's, by its name, and what it is told of a run. */
export interface NotifyRule {
  readonly to: string;
  readonly events: readonly AnnouncedEvent[];
}

export interface VerifierSpec {
  readonly name: string;
  /** A shell command; its exit code decides. */
  readonly run: string;
  readonly timeout_s: number;
  readonly required: boolean;
  /** Runs before set-up, in the bare checkout. */
  readonly setup?: false;
  /** Goes on from what this verifier, the one listed before it, has left. */
  readonly after?: string;
  /** Globs of the JUnit reports that it writes; absent: where the usual runners write them. */
  readonly report?: readonly string[];
}

/** A check of another App on the head, as a verifier. */
export interface CheckSpec {
  readonly name: string;
  /** The name of the check run, which need not be `name`. */
  readonly check: string;
  /** The slug of the App that must have made it. */
  readonly app: string;
  /** How long its result is waited for, in seconds. */
  readonly timeout_s: number;
  readonly required: boolean;
  /** How many of the commands under `verifiers` are listed before it. */
  readonly after: number;
}

export interface GateSettings {
  readonly rules: readonly OwnRule[];
  /** How bad it is what our own rules find, by their names, where a repository says otherwise. */
  readonly severity: Readonly<Record<string, Severity>>;
  readonly off: readonly SwitchedOff[];
  /** Contexts of clusters that `changes-production` spares. */
  readonly safe_clusters: readonly string[];
  /** Globs of files that are critical whatever changes in them. */
  readonly critical_paths: readonly string[];
}

/** A rule of the repository's own; it matches by exactly one of the three. */
export interface OwnRule {
  readonly name: string;
  readonly severity: Severity;
  /** Words that a command begins with. */
  readonly command?: readonly string[];
  /** A glob of changed files. */
  readonly path?: string;
  /** A regular expression for added lines, in linear time. */
  readonly content?: string;
}

/** A rule that does not stop anything here, and why. */
export interface SwitchedOff {
  readonly rule: string;
  readonly reason: string;
}

export type ApprovalSettings = Readonly<{
  mode: ApprovalMode;
  threshold: number;
  /** Merged runs of the same agent before a mode without people counts in full; absent in older ledgers. */
  new_history?: number;
  /** How long people can intervene before a timed proceed, in seconds; absent in older ledgers. */
  auto_proceed_after_s?: number;
  /** What happens then; absent in older ledgers. */
  on_timeout?: OnTimeout;
  /** The configuration has `on_timeout` written out. */
  on_timeout_written?: true;
  /** Files that have approvers of their own; absent: none. */
  protected_paths?: readonly ProtectedPaths[];
  /** How many different people must approve. */
  required: number;
  by: readonly Approver[];
  /** In which ways people may approve; absent, and in older ledgers: in all of them. */
  how?: readonly ApprovalWay[];
  steerer_may_approve: boolean;
  requester_may_approve: boolean;
  finish: 'ready' | 'auto-merge' | 'merge';
  merge_method: 'merge' | 'squash' | 'rebase';
  /** The slugs of the Apps that may write in the name of a person. */
  apps: readonly string[];
}>;

/** `button`: a click on Approve in the check run. */
export type ApprovalWay = 'comment' | 'review' | 'button';

export type ApprovalMode = 'manual' | 'auto' | 'confidence_threshold';

export type OnTimeout = 'proceed' | 'hold' | 'deny';

/** Files of which one of these people must approve a change, besides all others who must. */
export interface ProtectedPaths {
  /** Globs of the files that are protected. */
  readonly paths: readonly string[];
  readonly by: readonly Approver[];
}

/** Who may approve: everyone with a role, one person by login, a team, or the owners of the changed files. */
export type Approver =
  | { readonly role: Role }
  | { readonly login: string }
  /** `acme/core` */
  | { readonly team: string }
  | { readonly codeowners: true };

/** All ways in which people can approve. */
export const approvalWays: readonly ApprovalWay[] = ['button', 'review', 'comment'];

/** Whether nothing but clicks approves: they name no verifier to override, and only an App hears of them. */
export function takesClick(how: readonly ApprovalWay[] = approvalWays): boolean {
  return how.every((way) => way === 'button');
}
