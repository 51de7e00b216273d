import { resolve } from 'node:path';
import type { Remote } from '../git/git.ts';
import { inLane } from '../git/lane.ts';
import { readObjects } from '../git/objects.ts';
import type { Event } from '../steering/event.ts';
import type { Ledger } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { Book } from './book.ts';
import type { Cargo } from './cargo.ts';
import { type Undertaking, undertake } from './draft.ts';
import { land } from './land.ts';
import { Lane } from './lane.ts';
import { parseEvents } from './parse.ts';
import type { Tip } from './tip.ts';

/** One run's memory: a Git ref with one commit per event. */
export interface RunLedger extends Ledger {
  /** The ledger for one event that brings code or files along. */
  carrying(cargo: Cargo): Ledger;
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

export interface Remembered {
  readonly state: State;
  readonly commit: string;
  readonly ref: string;
  readonly seen: ReadonlySet<string>;
}

export interface LedgerOptions {
  /** A bare directory of this ledger's own, made when missing; it may be thrown away while no ledger is open in it. */
  readonly dir: string;
  readonly remote: Remote;
  /** The pull request's number. */
  readonly number: number;
  /** Object directories (`<mirror>/objects`) that hold the code commits which come along. */
  readonly objects?: readonly string[];
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
  const { remote, number, objects = [] } = options;
  const dir = resolve(options.dir);
  const { deferMs = 3_000, deadlineMs = 60_000, random = Math.random } = options;
  const book = new Book({ dir, remote, number, objects });
  const lane = new Lane({
    land: (batch) => inLane(dir, () => land(book, batch, { deadlineMs, random })),
    deferMs,
    onFault: (error, { event }) => options.onFault(error, event),
  });
  const readTip = (): Promise<Tip | undefined> =>
    inLane(dir, async () => {
      book.forget();
      return (await book.tip()).tip;
    });
  let closed = false;
  const accept = (undertaking: Undertaking): Undertaking => {
    if (closed)
      throw new Error(`could not record ${undertaking.event.id}: the ledger of #${number} is closed`);
    return undertaking;
  };
  const carrying = (cargo?: Cargo): Ledger => ({
    record: async (event, decide) => {
      const undertaking = accept(undertake({ event, decide }, cargo));
      if (undertaking.code) await book.checkForward(undertaking.code);
      return lane.add(undertaking);
    },
    defer: (event, decide) => lane.addLater(accept(undertake({ event, decide }, cargo))),
  });
  return {
    ...carrying(),
    carrying,
    read: async () => remembered(book, await readTip()),
    events: async () => parseEvents((await readTip())?.log ?? '', `ledger of #${number}`),
    readArtefact: async (path) => {
      const tip = await readTip();
      const [file] = tip ? await readObjects(dir, [`${tip.commit}:${path}`]) : [];
      return file?.type === 'blob' ? file.content : undefined;
    },
    flush: () => lane.flush(),
    close: async () => {
      closed = true;
      await lane.flush();
    },
  };
}

function remembered(book: Book, tip: Tip | undefined): Remembered | undefined {
  if (tip === undefined) return undefined;
  const { state, commit, place, seen } = tip;
  return { state, commit, ref: book.ref(place), seen };
}
