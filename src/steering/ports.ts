import type { Event } from './event.ts';
import type { PendingEffect } from './pending-effect.ts';
import type { State } from './state.ts';

/** What the loop needs of the outside, and nothing more. */
export interface Ports {
  readonly ledger: Ledger;
  readonly effects: Effects;
}

/** Deciding, as the ledger is given it: pure, so it may be asked again when the ledger has moved. */
export type Decide = (state: State | undefined) => Verdict;

/** `nothing`: the event changes nothing and leaves no commit. */
export type Verdict =
  | { readonly outcome: 'nothing' }
  | {
      readonly outcome: 'next';
      readonly state: State;
      /** The ledger commit's subject: a sentence a person can read. */
      readonly subject: string;
      /** Whether the commits that came with the event belong on the branch. */
      readonly takes_code: boolean;
    };

export interface Ledger {
  /**
   * Makes the event part of the run's memory, exactly once, and answers with the state that is now true.
   * Throws `LedgerBusy` when the deadline passes without our turn.
   */
  record(event: Event, decide: Decide): Promise<Recorded>;
  /** Like `record`, but in no hurry: goes out with the next event, or when the lane has been idle. */
  defer(event: Event, decide: Decide): void;
}

export interface Recorded {
  /** Undefined when there is no run and the event did not start one. */
  readonly state: State | undefined;
  /** False when the event was known already, or changed nothing. */
  readonly fresh: boolean;
}

/** Everything a run does to the outside. */
export interface Effects {
  /** Starts what is queued, ends what is no longer current. Returns at once. */
  engage(state: State): void;
  /** Performs what is pending; what was performed before is not performed again. */
  perform(pending: readonly PendingEffect[], state: State): Promise<void>;
  /** Makes the pull request look as the state says, and writes only what differs. */
  present(state: State): Promise<void>;
}
