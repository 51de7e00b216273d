import { resolve } from 'node:path';
import type { Remote } from '../git/git.ts';
import { inLane } from '../git/keyed-mutex.ts';
import { readObjects } from '../git/objects.ts';
import type { Event } from '../steering/event.ts';
import type { Decide, Ledger, Recorded } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { land, type Patience } from './append.ts';
import type { Cargo, Told } from './attachments.ts';
import { Lane } from './batcher.ts';
import type { Tip } from './head.ts';
import { parseEvents } from './parse.ts';
import { type Answer, type Undertaking, undertake } from './plan.ts';
import { beginAnew } from './recreate.ts';
import { Book } from './remote-ledger.ts';

/** One run's memory: a Git ref with one commit per event. */
export interface RunLedger extends Ledger {
  /** The ledger for one event that brings code or files along. */
  carrying(cargo: Cargo): Ledger;
  /**
   * The ledger for the event that begins it anew where it is lost; what is there instead is kept aside.
   * Where it is not lost, the event is recorded as any other.
   */
  anew(): Pick<Ledger, 'record'>;
  /** What the ledger says now; undefined when there is none. */
  read(): Promise<Remembered | undefined>;
  /** Everything that happened, oldest first. */
  events(): Promise<readonly Event[]>;
  readArtefact(path: string): Promise<string | undefined>;
  /** Sends out what was deferred. */
  flush(): Promise<void>;
  /** Flushes; nothing can be recorded afterwards. */
  close(): Promise<void>;
}

/** What a ledger says. */
export interface Remembered {
  readonly state: State;
  readonly commit: string;
  readonly ref: string;
  readonly seen: ReadonlySet<string>;
}

/** Which run's ledger, and how to keep it. */
export interface LedgerOptions {
  /** A bare directory of this ledger's own, made when missing; it may be thrown away at any time. */
  readonly dir: string;
  readonly remote: Remote;
  /** The pull request's number. */
  readonly number: number;
  /** Object directories (`<mirror>/objects`) that hold the code commits which come along. */
  readonly objects?: readonly string[];
  /**
   * The number that the ledger must have reached, as far as it is known elsewhere; 0 when nothing is.
   * Asked before the ledger is read, until something has been seen in it.
   */
  readonly least?: () => Promise<number>;
  /** How long a deferred event may wait for another; default 3,000. */
  readonly deferMs?: number;
  /** How long to try before `LedgerBusy`; default 60,000. */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  /** Told of every deferred event that could not be recorded. */
  readonly onFault: (error: unknown, event: Event) => void;
}

/** Opens a run's ledger. Nothing is read before it is needed. */
export function openLedger(options: LedgerOptions): RunLedger {
  return new OpenLedger(options);
}

class OpenLedger implements RunLedger {
  readonly #book: Book;
  readonly #lane: Lane;
  readonly #patience: Patience;
  #closed = false;

  constructor({ remote, number, objects = [], deferMs = 3_000, onFault, ...options }: LedgerOptions) {
    const { deadlineMs = 60_000, random = Math.random, least = async () => 0 } = options;
    const dir = resolve(options.dir);
    const book = new Book({ dir, remote, number, objects, least });
    const patience = { deadlineMs, random };
    this.#book = book;
    this.#patience = patience;
    this.#lane = new Lane({
      land: (batch) => inLane(dir, () => landChecked(book, batch, patience)),
      deferMs,
      onFault: (error, { event }) => onFault(error, event),
    });
  }

  record(event: Event, decide: Decide): Promise<Recorded> {
    return this.#record({ event, decide });
  }

  defer(event: Event, decide: Decide): void {
    this.#lane.addLater(this.#accepted({ event, decide }));
  }

  carrying(cargo: Cargo): Ledger {
    return {
      record: (event, decide) => this.#record({ event, decide }, cargo),
      defer: (event, decide) => this.#lane.addLater(this.#accepted({ event, decide }, cargo)),
    };
  }

  anew(): Pick<Ledger, 'record'> {
    const { dir } = this.#book.options;
    return {
      record: (event, decide) => {
        const undertaking = this.#accepted({ event, decide });
        return inLane(dir, () => beginAnew(this.#book, undertaking, this.#patience));
      },
    };
  }

  async read(): Promise<Remembered | undefined> {
    const tip = await this.#tip();
    if (tip === undefined) return undefined;
    const { state, commit, place, seen } = tip;
    return { state, commit, ref: this.#book.ref(place), seen };
  }

  async events(): Promise<readonly Event[]> {
    const tip = await this.#tip();
    return tip ? parseEvents(tip.log, `ledger of #${tip.state.run.number}`) : [];
  }

  async readArtefact(path: string): Promise<string | undefined> {
    const tip = await this.#tip();
    const [file] = tip ? await readObjects(this.#book.options.dir, [`${tip.commit}:${path}`]) : [];
    return file?.type === 'blob' ? file.content : undefined;
  }

  flush(): Promise<void> {
    return this.#lane.flush();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lane.flush();
  }

  async #record(told: Told, cargo?: Cargo): Promise<Recorded> {
    return this.#lane.add(this.#accepted(told, cargo));
  }

  #accepted(told: Told, cargo?: Cargo): Undertaking {
    const { number } = this.#book.options;
    if (this.#closed)
      throw new Error(`could not record ${told.event.id}: the ledger of #${number} is closed`);
    return undertake(told, cargo);
  }

  /** Read anew, in turn with what is being written. */
  #tip(): Promise<Tip | undefined> {
    return inLane(this.#book.options.dir, async () => {
      this.#book.forget();
      return (await this.#book.tip()).tip;
    });
  }
}

/** A lease would let code go sideways; an event that brings such code fails, and its neighbours do not. */
async function landChecked(
  book: Book,
  batch: readonly Undertaking[],
  patience: Patience,
): Promise<readonly Answer[]> {
  const checked = batch.map(async (undertaking) => {
    const problem = undertaking.code && (await book.problemWith(undertaking.code));
    return problem ? { ...undertaking, decide: refusing(problem) } : undertaking;
  });
  return land(book, await Promise.all(checked), patience);
}

function refusing(problem: Error): Decide {
  return () => {
    throw problem;
  };
}
