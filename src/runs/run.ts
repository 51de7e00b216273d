import type { Attachments } from '../ledger/attachments.ts';
import type { Remembered } from '../ledger/ledger.ts';
import type { Event, EventOf } from '../steering/event.ts';
import type { Recorded } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import type { Repository } from './repository.ts';

/** One run in this process, as those see it that work for it. */
export interface Run {
  readonly repository: Repository;
  /** The pull request's number. */
  readonly number: number;
  /** `owner/repo#n` */
  readonly name: string;
  /** The newest state seen here; undefined before anything was read or recorded. */
  readonly newest: State | undefined;
  /** What GitHub has confirmed to this process of what was approved; the ledger alone can be forged. */
  confirmed: string | undefined;
  /** Resolves when the event is in the ledger; acting upon it goes on behind, and is retried if it fails. */
  record(event: Event, attachments?: Attachments): Promise<Recorded>;
  /** The same for the event that begins a lost ledger anew. */
  restore(event: EventOf<'restored'>): Promise<Recorded>;
  /** Acts upon a state that was read, as if its last event had just been recorded. */
  resume(state: State): void;
  /** Ends what is under way here for a run whose ledger is lost: nothing of it could be recorded. */
  halt(): void;
  /** Puts back what somebody's edit of the pull request's body, or our own write, removed. */
  repairBody(edit: BodyEdit): Promise<void>;
  /** The run as its ledger has it, read afresh; undefined when there is none. */
  readLedger(): Promise<Remembered | undefined>;
  /** Everything that happened, oldest first. */
  events(): Promise<readonly Event[]>;
  /** A file of the ledger, such as `iterations/0/1/implement/prompt.md`. */
  artefact(path: string): Promise<string | undefined>;
}

/** An edit of a pull request's body. */
export interface BodyEdit {
  readonly by: { readonly login: string };
  readonly before: string;
  readonly after: string;
}
