import { messageOf } from '../faults.ts';
import type { Run } from '../run.ts';
import type { AttemptServices } from './leased-work.ts';

/** How often the ledger is read while an agent works, and while it waits for people, in milliseconds. */
const everyMs = { now: 15_000, often: 3_000 } as const;

/**
 * What people say to a run may be recorded by another process: a replica of the App, or another job. While an
 * agent works here, the ledger is therefore read from time to time, unless there is no such process.
 */
export class LedgerWatch {
  readonly #run: Run;
  readonly #services: AttemptServices;

  constructor(run: Run, services: AttemptServices) {
    this.#run = run;
    this.#services = services;
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
    let reading = false;
    const timer = setInterval(() => {
      if (reading || !this.#services.hasOthers()) return;
      reading = true;
      void this.#once().finally(() => (reading = false));
    }, ms);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #once(): Promise<void> {
    const { log } = this.#services;
    const before = this.#run.newest?.seq ?? 0;
    await this.#run
      .readLedger()
      .then((snapshot) => {
        if (snapshot !== undefined && snapshot.state.seq > before) this.#run.resume(snapshot.state);
      })
      .catch((fault: unknown) =>
        log.info(`could not look whether ${this.#run.name} has moved: ${messageOf(fault)}`),
      );
  }
}
