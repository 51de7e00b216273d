import type { Operator } from '../config/read.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { State } from '../steering/state.ts';
import type { Clock } from './github-clock.ts';
import type { Run } from './run.ts';
import type { Timers } from './timers.ts';

/** What all runs of a process share; each door assembles its own. */
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

/** Where attempts execute. */
export interface Engine {
  /** Starts what is queued and ends what is no longer current; returns at once. */
  engage(run: Run, state: State): void;
  /** When nothing is at work or waiting any more. */
  idle(): Promise<void>;
  /** Ends everything at work and gives it back to whoever comes next. */
  stop(): Promise<void>;
}
