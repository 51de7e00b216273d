import type { Event } from '../../steering/event.ts';
import { severities } from '../../steering/gate-rules.ts';
import type { State } from '../../steering/state.ts';
import type { RunIdentity } from '../../steering/task.ts';
import type {
  AuditReport,
  DiffReport,
  HistoryReport,
  InboxEntry,
  LogsReport,
  RunReport,
  RunSummary,
} from '../report/shapes.ts';

/** Which run. */
export type RunPlace = Pick<RunIdentity, 'owner' | 'repo' | 'number'>;

/** Reads runs as a person: with their token, from GitHub and Git alone or from a server. */
export interface RunReader {
  run(at: RunPlace): Promise<RunReading>;
  diff(at: RunPlace, options: DiffChoice): Promise<DiffReport>;
  /** `verifier`: only that one, by its name or by `<repo>:<name>`. */
  logs(at: RunPlace, verifier?: string): Promise<LogsReport>;
  history(at: RunPlace): Promise<HistoryReport>;
  audit(at: RunPlace): Promise<AuditReport>;
  /** Of one repository, `owner/repo`, or of all that the person can see. */
  inbox(repository?: string): Promise<Listing<InboxEntry>>;
  /** The same of all runs that have not ended. */
  runs(repository?: string): Promise<Listing<RunSummary>>;
}

/** What is known of a run: all of it, or, if there is no ledger to be read, what its pull request says. */
export interface RunReading {
  readonly report: RunReport | RunSummary;
  /** Why it is not verified; undefined if it is. */
  readonly doubt?: string | undefined;
}

export interface DiffChoice {
  /** An exact path, a directory or a glob. */
  readonly file?: string | undefined;
  /** How many lines of bodies, in total. */
  readonly lines: number;
}

/** Runs as they were at a time. */
export interface Listing<Entry> {
  readonly as_of: string;
  /** What is riskiest first, then what has waited longest. */
  readonly entries: readonly Entry[];
  /** How many there are, as far as is known, beyond those that could be listed. */
  readonly omitted: number;
  readonly complete: boolean;
}

/** A whole run: what a ledger holds. */
export interface WholeRun {
  readonly trust: RunSummary['trust'];
  readonly state: State;
  /** Oldest first. */
  readonly events: readonly Event[];
  readonly history: HistoryReport;
}

/** What is asked for cannot be had, and why; a sentence for people. */
export class NotAvailable extends Error {
  override name = 'NotAvailable';
}

/** The riskiest first, then what has waited longest; a risk that is not known is among the high ones. */
export function byUrgency(one: InboxEntry, other: InboxEntry): number {
  const rank = ({ risk_level }: InboxEntry) => severities.indexOf(risk_level ?? 'high');
  return rank(other) - rank(one) || one.waiting_since.localeCompare(other.waiting_since);
}
