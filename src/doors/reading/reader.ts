import type { RunIdentity } from '../../steering/shapes/task.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type {
  AuditReport,
  DiffReport,
  HistoryReport,
  InboxEntry,
  LogsReport,
  RunReport,
  RunSummary,
} from '../report/report-shapes.ts';

/** Names a run by its pull request. */
export type RunPlace = Pick<RunIdentity, 'owner' | 'repo' | 'number'>;

/** Reads runs as a person: with their token, from GitHub and Git alone or from a server. */
export interface RunReader {
  /** All of a run, or, if there is no ledger to be read, what its pull request says. */
  run(at: RunPlace): Promise<Reading<RunReport | RunSummary>>;
  diff(at: RunPlace, options: DiffChoice): Promise<Reading<DiffReport>>;
  /** With `verifier`, only that one is read, by its name or by `<repo>:<name>`. */
  logs(at: RunPlace, verifier?: string): Promise<Reading<LogsReport>>;
  history(at: RunPlace): Promise<Reading<HistoryReport>>;
  audit(at: RunPlace): Promise<Reading<AuditReport>>;
  /** Lists what waits in one repository, `owner/name`, or in all that the person can see. */
  inbox(repository?: string): Promise<Listing<InboxEntry>>;
  /** Lists in the same way all runs that have not ended. */
  runs(repository?: string): Promise<Listing<RunSummary>>;
}

/** What was read of a run. */
export interface Reading<Report> {
  readonly report: Report;
  /** Why it is not verified; undefined if it is, or if GitHub itself says so. */
  readonly doubt?: string | undefined;
}

export interface DiffChoice {
  /** Only what an exact path, a directory or a glob names is read. */
  readonly file?: string | undefined;
  /** How many lines of bodies are read, in total. */
  readonly lines: number;
}

/** So many lines of bodies are shown if nobody asks for another number, and so many at most. */
export const usualLines = 1_000;
export const wholeLines = 20_000;

/** Runs as they were at a time. */
export interface Listing<Entry> {
  /** ISO 8601; null if a server has only started and may not know of all runs yet. */
  readonly as_of: string | null;
  /** What waits is in order of urgency. */
  readonly entries: readonly Entry[];
  /** What may be missing, in sentences for people. */
  readonly left_out: readonly string[];
}

/** Everything that the ledger of a run holds. */
export interface WholeRun {
  readonly trust: RunSummary['trust'];
  readonly state: State;
  /** They come oldest first. */
  readonly events: readonly Event[];
  readonly history: HistoryReport;
}

/** What is asked for cannot be had, and why; a sentence for people. */
export class NotAvailable extends Error {
  override name = 'NotAvailable';
}
