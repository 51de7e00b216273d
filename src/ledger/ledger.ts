import { resolve } from 'node:path';
import { runExclusive } from '../git/keyed-mutex.ts';
import { readFiles } from '../git/objects.ts';
import type { Event } from '../steering/state/event.ts';
import type { Decide, Ledger, Recorded } from '../steering/state/ports.ts';
import type { State } from '../steering/state/state.ts';
import { append, type RetryLimits } from './append.ts';
import { Batcher, type Entry, type EntryResult, entryFrom } from './append-batch.ts';
import type { Attachments, Proposal } from './attachments.ts';
import { fetchHistory, type LedgerLog, readLog } from './directory.ts';
import { type LedgerHead, parseEvents } from './format.ts';
import { type LedgerSteps, newerThan, readSteps } from './ledger-steps.ts';
import { isLoss, recreate } from './recreate.ts';
import { RemoteLedger, type RemoteLedgerOptions } from './remote-ledger.ts';

/** What a ledger says at its newest commit. */
export interface LedgerSnapshot {
  readonly state: State;
  readonly commit: string;
  readonly ref: string;
  readonly seen: ReadonlySet<string>;
  /** The id of the key it is sealed with; null in the Action. */
  readonly key: string | null;
}

/** The run, and how to access its ledger. */
export interface LedgerOptions extends Omit<RemoteLedgerOptions, 'objects' | 'drawnSeq'> {
  /** There are none unless they are given. */
  readonly objects?: RemoteLedgerOptions['objects'];
  /** By default another source says nothing. */
  readonly drawnSeq?: RemoteLedgerOptions['drawnSeq'];
  /** How long a deferred event may wait for another, in milliseconds; default 3,000. */
  readonly deferMs?: number;
  /** How long it is tried again before `LedgerBusy`, in milliseconds; 60,000 unless it is given. */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  /** Called for every deferred event that could not be recorded. */
  readonly onFault: (error: unknown, event: Event) => void;
}

/** Opens a run's ledger. Nothing is read until it is needed. */
export function openLedger(options: LedgerOptions): RunLedger {
  return new RunLedger(options);
}

/** The ledger of one run: a Git ref with one commit per event. */
export class RunLedger implements Ledger {
  readonly #ledger: RemoteLedger;
  readonly #batcher: Batcher;
  readonly #retryLimits: RetryLimits;
  #closed = false;
  /** Nothing has been recorded yet in a ledger that we know to be new. */
  #beginning = false;

  constructor({ objects = [], deferMs = 3_000, onFault, ...options }: LedgerOptions) {
    const { deadlineMs = 60_000, random = Math.random, drawnSeq = async () => 0 } = options;
    const dir = resolve(options.dir);
    const ledger = new RemoteLedger({ ...options, dir, objects, drawnSeq });
    const retryLimits = { deadlineMs, random };
    this.#ledger = ledger;
    this.#retryLimits = retryLimits;
    this.#batcher = new Batcher({
      append: (batch) => runExclusive(dir, () => appendChecked(ledger, batch, retryLimits)),
      deferMs,
      onFault: (error, { event }) => onFault(error, event),
    });
  }

  /** The newest commit that was read or written, with its number; undefined before that. */
  get tip(): RemoteLedger['tip'] {
    return this.#ledger.tip;
  }

  async record(event: Event, decide: Decide): Promise<Recorded> {
    const isFirst = this.#beginning;
    this.#beginning = false;
    try {
      return await this.#record({ event, decide });
    } catch (fault) {
      // Numbers of pull requests can be guessed: someone has put a ledger here before the run began.
      if (isFirst && isLoss(fault)) return this.recreating().record(event, decide);
      throw fault;
    }
  }

  defer(event: Event, decide: Decide): void {
    this.#batcher.addLater(this.#accepted({ event, decide }));
  }

  /** A ledger that records one event together with code or files. */
  withAttachments(attachments: Attachments): Ledger {
    return {
      record: (event, decide) => this.#record({ event, decide }, attachments),
      defer: (event, decide) => this.#batcher.addLater(this.#accepted({ event, decide }, attachments)),
    };
  }

  /**
   * A ledger that replaces a lost one with this event and keeps the remains under another ref. If it is not
   * lost, the event is recorded like any other.
   */
  recreating(): Pick<Ledger, 'record'> {
    const { dir } = this.#ledger.options;
    return {
      record: (event, decide) => {
        const entry = this.#accepted({ event, decide });
        return runExclusive(dir, () => recreate(this.#ledger, entry, this.#retryLimits));
      },
    };
  }

  /** The run begins here: its pull request is new, so nothing can have been drawn on it. */
  begin(): void {
    this.#ledger.begin();
    this.#beginning = true;
  }

  /** Reads the ledger from the remote; undefined if there is none. */
  async read(): Promise<LedgerSnapshot | undefined> {
    const head = await this.#head();
    if (head === undefined) return undefined;
    const { state, commit, namespace, seen, key } = head;
    return { state, commit, ref: this.#ledger.ref(namespace), seen, key };
  }

  /** Reads all events, oldest first. */
  async events(): Promise<readonly Event[]> {
    const head = await this.#head();
    return head ? parseEvents(head.log, `ledger of #${head.state.run.number}`) : [];
  }

  /** Its commits, as Git lists them; undefined if there is no ledger. */
  async log(): Promise<LedgerLog | undefined> {
    const { dir, remote } = this.#ledger.options;
    return this.#reading((head) =>
      readLog({ dir, remote, ref: this.#ledger.ref(head.namespace) }, head.commit),
    );
  }

  /** At most 500 entries after the one with this number, oldest first; undefined if there is no ledger. */
  async steps(after: number): Promise<LedgerSteps | undefined> {
    const { dir, remote } = this.#ledger.options;
    return this.#reading(async ({ commit, namespace, state, seen }) => {
      const count = newerThan(after, { seq: state.seq, entries: seen.size });
      if (count === 0) return { steps: [], hasMore: false };
      await fetchHistory({ dir, remote, ref: this.#ledger.ref(namespace) }, count + 1);
      return readSteps(dir, commit, after);
    });
  }

  async readArtefact(path: string): Promise<string | undefined> {
    const { dir } = this.#ledger.options;
    const files = await this.#reading(({ commit }) => readFiles(dir, [`${commit}:${path}`]));
    return files?.[0];
  }

  /** Writes deferred events. */
  flush(): Promise<void> {
    return this.#batcher.flush();
  }

  /** Flushes; nothing can be recorded afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#batcher.flush();
  }

  async #record(proposal: Proposal, attachments?: Attachments): Promise<Recorded> {
    return this.#batcher.add(this.#accepted(proposal, attachments));
  }

  #accepted(proposal: Proposal, attachments?: Attachments): Entry {
    const { number } = this.#ledger.options;
    if (this.#closed)
      throw new Error(`could not record ${proposal.event.id}: the ledger of #${number} is closed`);
    return entryFrom(proposal, attachments);
  }

  #head(): Promise<LedgerHead | undefined> {
    return this.#reading(async (head) => head);
  }

  /** Reads from the remote, but never during a write; undefined if there is no ledger. */
  #reading<T>(read: (head: LedgerHead) => Promise<T>): Promise<T | undefined> {
    const ledger = this.#ledger;
    const once = async () => {
      ledger.forget();
      const { head } = await ledger.head();
      return head && read(head);
    };
    return runExclusive(ledger.options.dir, () => ledger.inDirectory(once));
  }
}

/** `--force-with-lease` allows non-fast-forward pushes, so such code fails its own event, but no others. */
async function appendChecked(
  ledger: RemoteLedger,
  batch: readonly Entry[],
  retryLimits: RetryLimits,
): Promise<readonly EntryResult[]> {
  const checked = batch.map(async (entry) => {
    const problem = entry.code && (await ledger.problemWith(entry.code));
    return problem ? { ...entry, decide: refusing(problem) } : entry;
  });
  return append(ledger, await Promise.all(checked), retryLimits);
}

function refusing(problem: Error): Decide {
  return () => {
    throw problem;
  };
}
