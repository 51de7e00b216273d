import { setTimeout as delay } from 'node:timers/promises';
import { requestReport } from '../doors/report/run-report.ts';
import { listRemote } from '../git/remote.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { StreamEvent } from '../http/event-stream.ts';
import { ledgerRef } from '../ledger/format.ts';
import type { LedgerStep } from '../ledger/ledger-steps.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import { keyOf, type LiveRuns } from '../runs/run/live-runs.ts';
import type { Run } from '../runs/run/run.ts';
import { announcements } from '../steering/announcements.ts';
import type { State } from '../steering/state/state.ts';

/** An entry of a ledger as listeners are told it; most entries are nothing that others want to hear of. */
interface Told {
  readonly seq: number;
  readonly events: readonly StreamEvent[];
}

/** How many entries are kept for listeners that read a little later; older ones are read from the ledger. */
const maxRecent = 50;

/** What happens to one run, while somebody listens. */
export class RunEvents {
  /** The newest state that is known here; undefined while there is no ledger. */
  state: State | undefined;
  /** How often the ledger was begun anew with numbers that it had before. */
  era = 0;
  /** Resolves when there is something new. */
  change: Promise<void>;
  /** Resolves when the state is known. */
  readonly opened: Promise<void>;
  readonly #current: () => Run;
  #announce: () => void = () => undefined;
  #recent: readonly Told[] = [];
  /** `#recent` has everything after this number. */
  #from = 0;
  #reading: Promise<void> | undefined;

  /** `current`: the run as this process has it open now. */
  constructor(current: () => Run) {
    this.#current = current;
    this.change = this.#nextChange();
    this.opened = this.#open();
  }

  /** The number of the newest entry that is known here. */
  get seq(): number {
    return this.state?.seq ?? 0;
  }

  get run(): Run {
    return this.#current();
  }

  /** What comes after the entry with this number, oldest first; more may follow unless it is empty. */
  async after(seq: number): Promise<readonly Told[]> {
    if (seq >= this.#from) return this.#recent.filter((each) => each.seq > seq);
    return ((await this.run.ledger.steps(seq))?.steps ?? []).map(toldOf);
  }

  /** This process has recorded this. */
  async take(steps: readonly LedgerStep[]): Promise<void> {
    await this.opened;
    if (steps.some(({ before }) => before?.seq === this.state?.seq)) this.#append(steps);
    else await this.readOn();
  }

  /** Reads what others have recorded. */
  readOn(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #open(): Promise<void> {
    this.state = (await this.run.readLedger())?.state;
    this.#from = this.seq;
  }

  async #readOn(): Promise<void> {
    await this.opened;
    for (let hasMore = true; hasMore; ) {
      const known = this.seq;
      const read = await this.run.ledger.steps(known);
      const [first] = read?.steps ?? [];
      if (read === undefined || first === undefined) return;
      if (first.seq <= known) this.#beginAnew();
      this.#append(read.steps);
      hasMore = read.hasMore;
    }
  }

  #beginAnew(): void {
    this.era += 1;
    this.state = undefined;
    this.#recent = [];
    this.#from = 0;
  }

  /** What was told by this process may be read from the ledger as well. */
  #append(steps: readonly LedgerStep[]): void {
    const fresh = steps.filter(({ seq }) => seq > this.seq);
    const all = [...this.#recent, ...fresh.map(toldOf)];
    this.#from = all.at(-maxRecent - 1)?.seq ?? this.#from;
    this.#recent = all.slice(-maxRecent);
    this.state = fresh.at(-1)?.after ?? this.state;
    this.wake();
  }

  /** Lets whoever waits for something new look again. */
  wake(): void {
    const announce = this.#announce;
    this.change = this.#nextChange();
    announce();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#announce = resolve;
    });
  }
}

/**
 * The announcements of an entry. Only the last of them has the number as its id: a listener that comes back
 * after a stream was cut between two of them is told both again.
 */
export function toldOf({ seq, event, before, after }: LedgerStep): Told {
  const all = announcements(before, after, event);
  const events = all.map((each, nth) => ({
    ...(nth === all.length - 1 && { id: String(seq) }),
    event: each.event,
    data: { ...each, seq, ...('request' in each && { request: requestReport(after) }) },
  }));
  return { seq, events };
}

interface SourcesOptions {
  readonly liveRuns: LiveRuns;
  readonly log: Pick<Log, 'warn'>;
  /** How often it is looked for what other processes have recorded. */
  readonly lookEveryMs: number;
}

/** The runs that somebody listens to, each once however many do. */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #sources = new Map<string, { readonly events: RunEvents; listeners: number }>();
  /** The ids of the repositories that are looked at. */
  readonly #watched = new Set<number>();
  readonly #closing = new AbortController();
  readonly #unwatch: () => void;
  readonly #reading = new Set<Promise<void>>();
  /** What could not be read last time, by run, so that it is said once. */
  readonly #faults = new Map<string, string>();

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#unwatch = options.liveRuns.watch((key, steps) => {
      const events = this.#sources.get(key)?.events;
      if (events !== undefined) void this.#noting(key, () => events.take(steps));
    });
  }

  /** What happens to a run, until `leave`. */
  join(run: Run): RunEvents {
    const { repository, number } = run;
    const key = keyOf(repository, number);
    const current = () => this.#options.liveRuns.ifOpen(repository, number) ?? run;
    const source = this.#sources.get(key) ?? { events: new RunEvents(current), listeners: 0 };
    source.listeners += 1;
    this.#sources.set(key, source);
    if (!this.#watched.has(repository.id)) void this.#lookAt(repository.id);
    return source.events;
  }

  leave({ repository, number }: Run): void {
    const key = keyOf(repository, number);
    const source = this.#sources.get(key);
    if (source === undefined) return;
    source.listeners -= 1;
    if (source.listeners > 0) return;
    this.#sources.delete(key);
    this.#faults.delete(key);
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    for (const { events } of this.#sources.values()) events.wake();
    await Promise.allSettled(this.#reading);
  }

  /** Looks at the ledgers of a repository for as long as somebody listens to one of its runs. */
  async #lookAt(id: number): Promise<void> {
    this.#watched.add(id);
    const { signal } = this.#closing;
    for (;;) {
      await delay(this.#options.lookEveryMs, undefined, { signal }).catch(() => undefined); // it is closed
      const sources = [...this.#sources.values()].map(({ events }) => events);
      const own = sources.filter(({ run }) => run.repository.id === id);
      const [first] = own;
      if (first === undefined || signal.aborted) break;
      await this.#noting(String(id), () => this.#readMoved(first.run.repository, own));
    }
    this.#watched.delete(id);
    this.#faults.delete(String(id));
  }

  /** Reads the ledgers that are not as this process knows them. */
  async #readMoved(repository: Repository, sources: readonly RunEvents[]): Promise<void> {
    const refsOf = ({ number }: Run) => [ledgerRef('open', number), ledgerRef('closed', number)];
    const refs = await listRemote(
      repository.remote,
      sources.flatMap(({ run }) => refsOf(run)),
    );
    const moved = sources.filter(({ run, seq }) => {
      const [commit] = refsOf(run).flatMap((ref) => refs.get(ref) ?? []);
      return commit !== run.ledger.tip?.commit || seq !== (run.ledger.tip?.seq ?? 0);
    });
    const reading = moved.map((source) =>
      this.#noting(keyOf(repository, source.run.number), () => source.readOn()),
    );
    await Promise.all(reading);
  }

  #noting(key: string, read: () => Promise<void>): Promise<void> {
    const reading = this.#readNoting(key, read).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
    return reading;
  }

  /** It is tried again at the next look. */
  async #readNoting(key: string, read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.#faults.delete(key);
    } catch (fault) {
      const text = messageOf(fault);
      if (this.#faults.get(key) !== text) this.#options.log.warn(`could not see what happens: ${text}`);
      this.#faults.set(key, text);
    }
  }
}
