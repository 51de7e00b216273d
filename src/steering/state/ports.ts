import type { Event } from './event.ts';
import type { Performable } from './pending-effect.ts';
import type { State } from './state.ts';

/** Passed to the ledger; pure, so that the ledger can call it again after a conflict. */
export type Decide = (state: State | undefined) => Verdict;

/**
 * How a comment is answered at a glance, once, by whoever records what it says. Nobody owes it: what was
 * understood, and why not, is said by the pull request and by replies.
 */
export interface Reaction {
  readonly comment_id: number;
  readonly as: 'rocket' | 'confused';
  /** It comes after all that is written for people with write access. */
  readonly last?: true;
}

/** `nothing`: the event changes nothing and makes no commit. */
export type Verdict =
  | { readonly outcome: 'nothing' }
  | {
      readonly outcome: 'next';
      readonly state: State;
      /** The ledger commit's subject: a sentence a person can read. */
      readonly subject: string;
      /** Whether the commits that came with the event belong on the branch. */
      readonly takes_code: boolean;
      /** Whether the event was a command that only got a reply saying why it is refused. */
      readonly refuses?: boolean;
      readonly reaction?: Reaction;
    };

export interface Ledger {
  /**
   * Records the event exactly once and returns the resulting state.
   * Throws `LedgerBusy` when that does not succeed before the deadline.
   */
  record(event: Event, decide: Decide): Promise<Recorded>;
  /** Like `record`, but written together with the next event, or when the run has been idle. */
  defer(event: Event, decide: Decide): void;
}

export interface Recorded {
  /** Undefined when there is no run, and the event did not start one. */
  readonly state: State | undefined;
  /** False when the event was already recorded or changed nothing. */
  readonly fresh: boolean;
}

/** What became of a pending effect. `impossible`: GitHub refuses it, and waiting would not change that. */
export type Performed =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'impossible'; readonly reason: string };

/** Everything a run does to the outside world. */
export interface Effects {
  /** Starts queued work and stops outdated work. Returns immediately. */
  engage(state: State): void;
  /** Performs a pending effect, once however often it is called. Throws if it may succeed later. */
  perform(effect: Performable, state: State): Promise<Performed>;
  /** Renders the state on the pull request, writing only what differs. */
  present(state: State): Promise<void>;
}
