import type { Mirror } from '../git/mirror.ts';
import type { Work } from '../steering/event.ts';
import type { Changes, CommitSummary, Failure, GateHit, VerifierOutput } from '../steering/evidence.ts';
import type { LeaseId } from '../steering/lease.ts';
import type { State } from '../steering/state.ts';
import type { Adapters } from './port.ts';
import type { Sandbox } from './sandbox/probe.ts';
import type { Room } from './sandboxed-run.ts';

/** What is to be done, from the run's memory. */
export interface Assignment {
  readonly state: State;
  readonly hold: LeaseId;
  /** The branch head to start from, present in the mirror. */
  readonly commit: string;
}

/** A fresh worktree of a commit, with a home of its own. */
export interface Workspace {
  readonly room: Room;
  /** Nothing of it is left afterwards. */
  remove(): Promise<void>;
}

/** Workspaces that outlive what is done in them. */
export interface Kept {
  take(assignment: Assignment): Promise<Workspace>;
}

/** What it is done with. */
export interface Tools {
  readonly mirror: Mirror;
  /** Where worktrees, homes and the list of living children go. */
  readonly workRoot: string;
  readonly sandbox: Sandbox;
  readonly adapters: Adapters;
  /** Values that must not appear in anything that comes out. */
  readonly secrets: readonly string[];
  /** Environment that the operator gives agents on purpose, such as a model's key; verifiers never see it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where workspaces are kept ready; without it each is made when it is needed and removed at once. */
  readonly workspaces?: Kept;
}

/** A file for the ledger; the path is relative to its tree. */
export interface Artefact {
  readonly path: string;
  readonly content: string;
}

export type WorkOutcome = Finished | Failed | Cancelled;
export type VerifyOutcome = Verified | Failed | Cancelled;

export interface Finished {
  readonly kind: 'finished';
  readonly work: Work;
  readonly artefacts: readonly Artefact[];
}

export interface Verified {
  readonly kind: 'verified';
  readonly head: string;
  readonly verifiers: readonly VerifierOutput[];
  /** Everything the run changed since it left the base branch. */
  readonly changes: Changes;
  /** What the iteration brought; absent when the commit it began with is gone. */
  readonly commits?: CommitSummary;
  readonly gates: readonly GateHit[];
  readonly duration_s: number;
  readonly artefacts: readonly Artefact[];
}

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** A commit in the mirror with what the agent left, or null when it left nothing. */
  readonly kept: string | null;
  readonly duration_s: number;
  readonly artefacts: readonly Artefact[];
}

export interface Cancelled {
  readonly kind: 'cancelled';
}

/** Where the ledger keeps what belongs to an attempt. */
export function attemptFolder({ iteration, attempt }: LeaseId): string {
  return `iterations/${iteration}/${attempt}/implement`;
}

/** Seconds since `began` (of `performance.now()`), to a tenth. */
export function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
