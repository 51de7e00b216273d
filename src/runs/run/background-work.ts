import type { Told } from '../../github/listen/heard.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { MissingPermission } from '../../github/octokit/fault.ts';
import { HistoryLags } from '../../repository/contributors.ts';
import { messageOf, retry } from '../../repository/faults.ts';
import type { Clock } from '../../repository/github-clock.ts';
import { isNewer } from '../../steering/process-state.ts';
import type { Deadline } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import type { Services } from './services.ts';

/**
 * How a process does what is not done at once: in rounds, once, in the background, again, or later.
 */

/**
 * Work that one asks for again and again, with one round at a time. Whoever asks while a round is under way
 * needs one that begins afterwards: what made them ask may have come too late for it.
 */
export class Rounds<Part> {
  readonly #work: (part: Part | undefined) => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: { part: Part | undefined; readonly done: Promise<void> } | undefined;

  constructor(work: (part: Part | undefined) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a round that began after this call is done; without a part, everything is done in it. */
  again(part?: Part): Promise<void> {
    if (this.#underWay === undefined) return this.#start(part);
    this.#next ??= { part, done: this.#underWay.catch(() => undefined).then(() => this.#startNext()) };
    if (part === undefined) this.#next.part = undefined;
    return this.#next.done;
  }

  #start(part: Part | undefined): Promise<void> {
    this.#underWay = this.#work(part).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  #startNext(): Promise<void> {
    const part = this.#next?.part;
    this.#next = undefined;
    return this.#start(part);
  }
}

/** Work that is done only once, by its id, unless it failed. */
export class Once {
  readonly #begun = new Map<string, Promise<void>>();

  async do(id: string, work: () => Promise<void>): Promise<void> {
    const known = this.#begun.get(id);
    if (known !== undefined) return known;
    const doing = work();
    this.#begun.set(id, doing);
    try {
      await doing;
    } catch (fault) {
      this.#begun.delete(id);
      throw fault;
    }
  }

  /** Whether such work is under way, or done. */
  has(id: string): boolean {
    return this.#begun.has(id);
  }
}

/** Work that is under way; whoever began it handles its failure. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    this.#all.add(work);
    void work.catch(() => undefined).finally(() => this.#all.delete(work));
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Resolves when all is done that is under way now; never rejects. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}

/** A run, as far as its states are acted on. */
interface ActingRun {
  /** `owner/repo#n` */
  readonly name: string;
  readonly newest: State | undefined;
}

/** The signal is aborted when the run is closed. */
type ActingOptions = Pick<Services, 'log'> & { readonly signal: AbortSignal };

/** Acts on the states of a run. They are recorded, so what fails can be done again; one loop serves all. */
export class Acting {
  readonly #run: ActingRun;
  readonly #act: (state: State) => Promise<void>;
  readonly #options: ActingOptions;
  #retrying: Promise<void> | undefined;
  /** The newest state that has failed since the current loop started. */
  #failed: State | undefined;
  /** It was recorded after the loop had started. */
  #failedAgain = false;

  constructor(run: ActingRun, act: (state: State) => Promise<void>, options: ActingOptions) {
    this.#run = run;
    this.#act = act;
    this.#options = options;
  }

  /** Resolves when it is done or given up; never rejects, because the next sweep tries again. */
  async on(state: State): Promise<void> {
    await this.#act(state).catch((fault: unknown) => {
      if (!(fault instanceof MissingPermission)) return this.#again(fault, state);
      // Nobody grants it within seconds.
      this.#options.log.error(`could not act for ${this.#run.name}: ${fault.message}`);
      return undefined;
    });
  }

  /** What acting itself records may be the same state again, which would keep the loop going for ever. */
  #again(fault: unknown, state: State): Promise<void> {
    if (this.#failed === undefined || isNewer(state, this.#failed)) {
      this.#failed = state;
      this.#failedAgain = this.#retrying !== undefined;
    }
    this.#retrying ??= this.#retry(fault).finally(() => {
      this.#retrying = undefined;
      this.#failed = undefined;
    });
    return this.#retrying;
  }

  /** Until it succeeds, warnings are logged. */
  async #retry(fault: unknown): Promise<void> {
    const { log, signal } = this.#options;
    const { name } = this.#run;
    const act = async (attempt: number): Promise<void> => {
      if (attempt === 1) throw fault;
      if (!signal.aborted) await this.#actOnNewest();
    };
    const doing = `act for ${name}`;
    await retry(act, { doing, log, signal, firstWaitMs: 1_000, factor: 3 }).catch((last: unknown) => {
      // What GitHub lists too late is there before the next sweep.
      const goesOn = this.#failedAgain || last instanceof HistoryLags;
      // What failed late would otherwise have fewer tries.
      if (goesOn && !signal.aborted) {
        this.#failedAgain = false;
        return this.#retry(last);
      }
      log.error(`gave up acting for ${name}; the next sweep will retry: ${messageOf(last)}`);
      return undefined;
    });
  }

  /** A newer state may have failed meanwhile, and relies on this loop. */
  async #actOnNewest(): Promise<void> {
    let state: State | undefined;
    do {
      state = this.#run.newest;
      if (state !== undefined) await this.#act(state);
    } while (state !== this.#run.newest);
  }
}

/** Node's timers cannot wait longer; the sweep checks again anyway. */
const longestMs = 2 ** 31 - 1;

/** Waits for a deadline of a run; returns how to stop. After a restart, the sweep sets it again. */
export function waitFor({ at }: Deadline, clock: Clock, fire: () => void): () => void {
  const msLeft = () => Date.parse(at) - clock.now().getTime();
  // Node's clock may be ahead of GitHub's, after which deadlines go.
  const end = () => (msLeft() > 0 ? wait() : fire());
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(end, Math.min(Math.max(msLeft(), 0), longestMs)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** How long recording may take before what permits merging is taken back, in milliseconds. */
const patienceMs = 5_000;

/**
 * Records something that may take an approval back. If that fails, or takes longer than five seconds, what
 * permits merging is taken back meanwhile. Rethrows why it could not be recorded; `event` is what comes again
 * until it is.
 */
export async function recordOrWithhold<T>(
  record: () => Promise<T>,
  run: { withhold(event?: Told): Promise<void> },
  event?: Told,
): Promise<T> {
  let withheld: Promise<void> | undefined;
  const withhold = () => {
    withheld ??= run.withhold(event);
    return withheld;
  };
  const timer = setTimeout(withhold, patienceMs);
  try {
    return await record();
  } catch (fault) {
    await withhold();
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Does something on which nothing else depends: why it could not be done is only told. `doing` goes on a
 * sentence that begins with "could not".
 */
export async function orTell(
  log: Pick<Log, 'warn'>,
  doing: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (fault) {
    log.warn(`could not ${doing}: ${messageOf(fault)}`);
  }
}
