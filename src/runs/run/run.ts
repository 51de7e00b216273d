import type { Told } from '../../github/listen/heard.ts';
import type { Attachments } from '../../ledger/attachments.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import type { RunBase, SettingsReading } from '../../repository/configuration.ts';
import type { Repository } from '../../repository/repository.ts';
import type { ProcessState } from '../../steering/process-state.ts';
import type { Dependency, RunIdentity, Task } from '../../steering/shapes/task.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { Recorded } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import type { LedgerTip } from '../../words/withheld-mark.ts';

/** One run in this process. */
export interface Run {
  readonly repository: Repository;
  /** The pull request's number. */
  readonly number: number;
  /** `owner/repo#n` */
  readonly name: string;
  /** The newest state this process knows; undefined before anything was read or recorded. */
  readonly newest: State | undefined;
  /** How far the ledger had come when this process last read or wrote it. */
  readonly tip: LedgerTip | undefined;
  /** What this process remembers of the run. */
  process: ProcessState;
  /** Ids of what people without write access said and this process did nothing about. */
  readonly passedOver: { keys(): Iterable<string> };
  /** The run begins here: its pull request is new, so nothing about it need be read. */
  begin(): void;
  /** Resolves when the event is in the ledger; acting on it continues in the background, with retries. */
  record(event: Told, attachments?: Attachments): Promise<Recorded>;
  /** The same for the first event of a new ledger, in the place of one that is lost. */
  beginAnew(event: EventOf<'run_started'>): Promise<Recorded>;
  /** Acts on a state that was read, as if its last event had just been recorded. */
  resume(state: State): void;
  /**
   * Stops the work on a run whose ledger is lost, because its results could not be recorded. What shows the
   * loss is done between two renderings.
   */
  halt(show: () => Promise<void>): Promise<void>;
  /**
   * If the run is approved, checks once more what that rests on, and merges what may be merged by now. Merges
   * nothing if `only` says so.
   */
  finishAgain(only?: 'check'): Promise<void>;
  /** Takes back what permits merging, because this event, or an approval, cannot be recorded or checked. */
  withhold(event?: Told): Promise<void>;
  /** Asks GitHub for the checks of CI that the run waits for or was judged by, and records what is new. */
  readChecks(): Promise<void>;
  /** Puts our labels right after someone changed them. */
  repairLabels(): Promise<void>;
  /** Restores what someone's edit of the pull request's body, or our own, removed. */
  repairBody(edit: BodyEdit): Promise<void>;
  /** The settings that hold for a base now, from the default branch. */
  readSettings(at: RunBase): Promise<SettingsReading>;
  /**
   * What the run has come to; undefined if there is no ledger. What this process knows of it is outdated as
   * soon as another one records something, so where there are others the ledger is read.
   */
  state(): Promise<State | undefined>;
  /** Reads the ledger from the remote; undefined if there is none. */
  readLedger(): Promise<LedgerSnapshot | undefined>;
  /** All events, oldest first. */
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

/** What the end of a run, or what people decide about it, leads to in other runs of its repository. */
export interface OtherRuns {
  /** Makes the runs that take its place, and records them. */
  spawn(run: Run, state: State): Promise<void>;
  /** Closes its issue if it is the last one of those that took the place of one. */
  closeIssue(run: Run, state: State): Promise<void>;
  /** Looks up what a task of its repository depends on. */
  dependenciesOf(run: Run, task: Dependent): Promise<FoundDependencies>;
  /** In whose place a run is that lost its ledger, and what is in its own, as the ledgers of others say. */
  linksOf(run: Run): Promise<Pick<EventOf<'run_started'>, 'replaces' | 'replaced_by'>>;
  /** Tells runs that depend on it how it ended, or what has taken its place. */
  wake(run: Run, state: State): Promise<void>;
  /** Looks again how far what it depends on has come; the sweep does what fails. */
  lookAgain(run: Run): Promise<void>;
}

/** What others want to know of a run that has not ended. */
export interface OpenRun extends Pick<RunIdentity, 'number' | 'issue' | 'base'>, Pick<Task, 'depends_on'> {
  /** What it waits for; absent if it is not blocked. */
  readonly on?: readonly Dependency[];
  /** The runs that it waits behind; absent if it does not wait for its turn. */
  readonly behind?: readonly number[];
  /** Whether its pull request was there before it; absent if its ledger cannot be read. */
  readonly adopted?: boolean;
  /** In whose place it is, if in anybody's. */
  readonly replaces?: NonNullable<State['replaces']>;
  /** Whether we present it, and its ledger can be read. */
  readonly isOurs: boolean;
}

/** A task as it is taken, or written anew. */
export interface Dependent {
  /** The branch that everything has to be merged into. */
  readonly base: string;
  /** Its own issue and pull request, as far as it has them. */
  readonly own: readonly number[];
  /** What it says that it depends on: `#12`. */
  readonly names: readonly string[];
}

/** What a task depends on, and why it cannot, each in a sentence. */
export interface FoundDependencies {
  readonly on: readonly Dependency[];
  readonly problems: readonly string[];
}
