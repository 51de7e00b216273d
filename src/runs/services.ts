import { join } from 'node:path';
import type { Operator } from '../config/read.ts';
import type { Remote } from '../git/git.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Repository as GitHubRepository } from '../github/listen/github-event.ts';
import type { Connection, Log } from '../github/octokit/connect.ts';
import type { State } from '../steering/state.ts';
import type { LiveRun } from './live-run.ts';
import type { PushLimiter } from './push-limiter.ts';
import type { Timers } from './timers.ts';

/** What all runs of a process share. Each door furnishes one. */
export interface Services {
  /** Runs of the other kind are recorded here, and acted upon there. */
  readonly presenter: 'app' | 'action';
  /** Where mirrors, ledgers and worktrees live; may be thrown away at any time. */
  readonly data: string;
  readonly operator: Operator;
  /**
   * Where repositories keep their configuration; always read from the base branch, never from a run's own.
   */
  readonly configPath: string;
  readonly engine: Engine;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a phase in which work goes on must last to be drawn; as the presenter does unless told. */
  readonly drawAfterMs?: number | undefined;
}

/** A repository as a door reaches it. */
export interface Repository extends GitHubRepository {
  readonly octokit: Connection;
  readonly remote: Remote;
  readonly pushes: PushLimiter;
  /** The login our own comments bear. */
  readonly own: { readonly login: string };
  /** Opened when it is first needed, then shared. */
  mirror(): Promise<Mirror>;
}

/** Where attempts execute. */
export interface Engine {
  /** Starts what is queued and ends what is no longer current; returns at once. */
  engage(liveRun: LiveRun, state: State): void;
  /** When nothing is at work or waiting any more. */
  idle(): Promise<void>;
  /** Ends everything at work and gives it back to whoever comes next. */
  stop(): Promise<void>;
}

/** GitHub's time, not ours: a machine's clock may be wrong, and approvals depend on the order of things. */
export interface Clock {
  now(): Date;
}

export function mirrorDir({ data }: Pick<Services, 'data'>, { id }: Pick<Repository, 'id'>): string {
  return join(data, 'mirrors', `${id}.git`);
}
