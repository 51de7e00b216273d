import type { Services } from '../run/services.ts';

/**
 * Another bot may undo what we put right again and again, and one change of labels is several events; beyond
 * this the sweep puts them right.
 */
const maxRepairs = 30;
const withinMs = 3_600_000;

/** Limits how often what others change on the pull request of a run is put right at once. */
export class RepairLimit {
  readonly #name: string;
  readonly #services: Pick<Services, 'clock' | 'log'>;
  #times: readonly number[] = [];
  #isReported = false;

  /** `name` is the run's. */
  constructor(name: string, services: Pick<Services, 'clock' | 'log'>) {
    this.#name = name;
    this.#services = services;
  }

  /** Whether another repair is allowed now; counts it if so, and otherwise logs it once. */
  mayRepair(what: string): boolean {
    const { clock, log } = this.#services;
    const now = clock.now().getTime();
    this.#times = this.#times.filter((time) => time > now - withinMs);
    const isAllowed = this.#times.length < maxRepairs;
    if (isAllowed) this.#times = [...this.#times, now];
    else if (!this.#isReported)
      log.warn(`someone keeps changing ${what} of ${this.#name}; the next sweep puts it right`);
    this.#isReported = !isAllowed;
    return isAllowed;
  }
}
