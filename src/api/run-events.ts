import { requestReport } from '../doors/report/build.ts';
import type { StreamEvent } from '../http/event-stream.ts';
import type { LedgerStep } from '../ledger/steps.ts';
import type { LiveRun } from '../runs/live/live-run.ts';
import { announcements } from '../steering/interactions/announcements.ts';
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
  readonly #current: () => LiveRun;
  #announce: () => void = () => undefined;
  #recent: readonly Told[] = [];
  /** `#recent` has everything after this number. */
  #from = 0;
  #reading: Promise<void> | undefined;

  /** `current`: the run as this process has it open now. */
  constructor(current: () => LiveRun) {
    this.#current = current;
    this.change = this.#nextChange();
    this.opened = this.#open();
  }

  /** The number of the newest entry that is known here. */
  get seq(): number {
    return this.state?.seq ?? 0;
  }

  get run(): LiveRun {
    return this.#current();
  }

  /** What comes after the entry with this number, oldest first; more may follow unless it is empty. */
  async after(seq: number): Promise<readonly Told[]> {
    if (seq >= this.#from) return this.#recent.filter((each) => each.seq > seq);
    return ((await this.run.steps(seq))?.steps ?? []).map(toldOf);
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
      const read = await this.run.steps(known);
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
