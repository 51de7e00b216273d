import type { State } from '../../steering/state/state.ts';
import { messageOf } from '../repository/faults.ts';
import type { Run } from '../run/run.ts';
import type { AttemptServices } from './leased-work.ts';

/** How often the ledger is read while an agent works, and while it waits for people, in milliseconds. */
const everyMs = { now: 5_000, often: 2_000 } as const;

/**
 * What people say to a run may be recorded by another process: a replica of the App, or another job. While an
 * agent works here, the ledger is therefore read from time to time, unless there is no such process.
 */
export class LedgerWatch {
  readonly #run: Pick<Run, 'name' | 'readLedger'>;
  readonly #services: AttemptServices;
  readonly #onState: (state: State) => void;

  /** `onState` is only told: what the state owes is done by whoever recorded it. */
  constructor(
    run: Pick<Run, 'name' | 'readLedger'>,
    services: AttemptServices,
    onState: (state: State) => void,
  ) {
    this.#run = run;
    this.#services = services;
    this.#onState = onState;
  }

  /** Until the result is called. */
  now(): () => void {
    return this.#read(everyMs.now);
  }

  /** The same, while somebody waits for an answer. */
  often(): () => void {
    return this.#read(everyMs.often);
  }

  #read(ms: number): () => void {
    let isReading = false;
    const timer = setInterval(() => {
      if (isReading || !this.#services.hasOthers()) return;
      isReading = true;
      void this.#once().finally(() => (isReading = false));
    }, ms);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #once(): Promise<void> {
    const { log } = this.#services;
    try {
      const snapshot = await this.#run.readLedger();
      if (snapshot !== undefined) this.#onState(snapshot.state);
    } catch (fault) {
      log.info(`could not look whether ${this.#run.name} has moved: ${messageOf(fault)}`);
    }
  }
}
