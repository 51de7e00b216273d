import type { BegunMerge } from '../../git/begun-merge.ts';
import type { Mirror } from '../../git/mirror.ts';
import { implement } from '../../steering/iterations/iteration.ts';
import type { ParkReason } from '../../steering/shapes/agent-progress.ts';
import type {
  Cost,
  Failure,
  Found,
  GateHit,
  Observations,
  ToolCall,
  Work,
} from '../../steering/shapes/attempt-result.ts';
import type { Limits } from '../../steering/shapes/limits.ts';
import type { Account, Role } from '../../steering/shapes/people.ts';
import type { AttemptId, LeaseId } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Adapters, Image } from './agent-adapter.ts';
import type { NetworkKit } from './attempt-network.ts';
import type { Baselines } from './baselines.ts';
import type { SandboxContext } from './sandboxed-run.ts';

/** The work to do, from the run's state. */
export interface Assignment {
  readonly state: State;
  readonly hold: LeaseId;
  /** The branch head to start from, present in the mirror. */
  readonly commit: string;
  /** The limits of the run as they are now; without it, as they were when the work began. */
  limits?(): Limits;
  /** The repository's default branch, whose configuration the work follows. */
  readonly default_branch: string;
  /** What people have said about the task; absent if nobody was asked. */
  readonly context?: IssueContext;
  /** What an earlier attempt left that this one goes on from; absent if it begins anew. */
  readonly resumed?: Resumed;
  /** The merge with the base that the agent is to end; absent if it has none. */
  readonly merge?: BegunMerge;
}

/** What is left of an attempt whose agent was stopped. */
export interface Resumed {
  /**
   * What became of its changes: they are a commit on top of the one to start from, do not fit on that any
   * more, or no longer exist; absent if it had made none.
   */
  readonly work?: 'there' | 'moved' | 'gone';
  /** The commit with its changes, present in the mirror, if they are there. */
  readonly commit?: string;
  /** Its log as it stands in the ledger; absent if there is none. */
  readonly log?: string;
}

/** A fresh worktree of a commit, with its own home folder. */
export interface Workspace {
  readonly context: SandboxContext;
  /** Deletes all of it. */
  remove(): Promise<void>;
}

/** Provides workspaces, prepared in advance where possible. */
export interface WorkspacePool {
  take(assignment: Assignment): Promise<Workspace>;
}

/** Everything an attempt works with. */
export interface AttemptResources {
  readonly mirror: Mirror;
  /** Worktrees, homes and the registry of running children are made in this folder. */
  readonly workRoot: string;
  readonly sandbox: Sandbox;
  readonly adapters: Adapters;
  /** Values to redact from everything that an attempt returns. */
  readonly secrets: readonly string[];
  /** Variables that the operator passes to agents, none with a secret; verifiers never see them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What programs can be given access to; without it, `usualKit`. */
  readonly network?: NetworkKit;
  /** Without a pool, each workspace is created when it is needed and removed right after. */
  readonly workspaces?: WorkspacePool;
  /** What is remembered of bases; without it, only the state of a run remembers the newest one. */
  readonly baselines?: Baselines;
}

/** A file for the ledger; the path is relative to its tree. */
export interface Artefact {
  readonly path: string;
  readonly content: string;
}

export type WorkOutcome = Finished | Parked | Failed | Cancelled;
export type VerifyOutcome = Verified | Failed | Cancelled;

interface Finished extends Observations {
  readonly kind: 'finished';
  readonly work: Work;
  /** The gates on what this attempt alone changed. */
  readonly gates: readonly GateHit[];
  readonly artefacts: readonly Artefact[];
}

interface Parked extends Observations, Pick<Failed, 'left' | 'duration_s' | 'cost' | 'ran' | 'artefacts'> {
  readonly kind: 'parked';
  readonly because: Exclude<ParkReason, 'failed'>;
  /** When its model answers again, ISO 8601, if that is why and it is known. */
  readonly until?: string;
  readonly tool_calls: readonly ToolCall[];
}

/** A commit in the mirror with what an agent left that has not finished. */
export interface LeftBehind {
  readonly head: string;
  /** The gates on it, which say whether a ref of the remote may keep it. */
  readonly gates: readonly GateHit[];
}

interface Verified extends Observations, Found {
  readonly kind: 'verified';
  readonly artefacts: readonly Artefact[];
}

interface Failed extends Observations {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** Null when the agent left nothing. */
  readonly left: LeftBehind | null;
  readonly duration_s: number;
  /** What its models cost all the same; absent if nothing is known of it. */
  readonly cost?: Cost;
  /** Rules that matched what the agent ran without anybody being asked. */
  readonly ran?: readonly GateHit[];
  readonly artefacts: readonly Artefact[];
}

interface Cancelled {
  readonly kind: 'cancelled';
  /** As of a failed attempt, for what was stopped because it is no longer wanted. */
  readonly cost?: Cost;
  readonly ran?: readonly GateHit[];
}

/** The folder of a stage of an attempt in the ledger. */
export function attemptFolder({ iteration, attempt, stage = implement.name }: AttemptId): string {
  return `iterations/${iteration}/${attempt}/${stage}`;
}

/** Seconds since `began` (of `performance.now()`), to a tenth. */
export function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}

/** What people have said about a task beside it, as it was when the attempt began. */
export interface IssueContext {
  readonly issue: number;
  /** Who opened the issue, whose words the task has, with their role; null if that could not be read. */
  readonly author: Speaker | null;
  /** Comments of people who work on the repository, oldest first, and when they were written, ISO 8601. */
  readonly comments: readonly { readonly author: Speaker; readonly at: string; readonly body: string }[];
  /** Whether some of theirs, or older ones, are left out. */
  readonly has_earlier: boolean;
  /** Those of the issue come first, then those of the comments; `alt` is the author's name for it, or empty. */
  readonly images: readonly { readonly image: Image; readonly alt: string; readonly by: string }[];
  /** How many there are besides. */
  readonly images_left_out: number;
  /** What is missing, and why, in a sentence for people. */
  readonly notice?: string;
}

/** Somebody who speaks on an issue, with their role as it is now. */
export interface Speaker extends Account {
  readonly role: Role;
}

/** Whose comments the agent is given, each once. */
export function heardIn(context: IssueContext | undefined): readonly Account[] {
  const people = (context?.comments ?? []).map(({ author: { login, id } }) => ({ login, id }));
  return people.filter(({ id }, index) => people.findIndex((each) => each.id === id) === index);
}
