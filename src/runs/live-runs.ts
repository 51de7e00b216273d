import type { State } from '../steering/state.ts';
import { LiveRun } from './live-run.ts';
import type { Repository } from './repository.ts';
import type { Services } from './services.ts';

/**
 * How many idle runs are kept; beyond that, the least recently used are closed. Not an `lru-cache`: that would
 * also evict a run that is busy, and cannot be told not to.
 */
const mostKept = 500;

/** One lane for each run, for as long as it is used. */
export class LiveRuns {
  readonly services: Services;
  readonly #open = new Map<string, LiveRun>();

  constructor(services: Services) {
    this.services = services;
  }

  of(repository: Repository, number: number): LiveRun {
    const key = `${repository.id}#${number}`;
    const liveRun = this.#known(key, repository) ?? new LiveRun(repository, number, this.services);
    // Set again, so that the map's order is the order of use.
    this.#open.delete(key);
    this.#open.set(key, liveRun);
    this.#putAway();
    return liveRun;
  }

  /**
   * A lane whose repository was renamed, or is reached in another way now, ends when nothing is under way.
   */
  #known(key: string, repository: Repository): LiveRun | undefined {
    const liveRun = this.#open.get(key);
    if (liveRun === undefined || liveRun.repository === repository || !liveRun.idle) return liveRun;
    void liveRun.close();
    return undefined;
  }

  /** When everything told so far has been acted upon. */
  async drained(): Promise<void> {
    await Promise.all([...this.#open.values()].map((liveRun) => liveRun.drained()));
  }

  /** Whether nothing is under way in any lane. */
  get quiet(): boolean {
    return [...this.#open.values()].every((liveRun) => liveRun.quiet);
  }

  /** The newest state of every run seen here. */
  newest(): readonly State[] {
    return [...this.#open.values()].flatMap(({ newest }) => newest ?? []);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((liveRun) => liveRun.close()));
    this.#open.clear();
  }

  #putAway(): void {
    for (const [key, liveRun] of this.#open) {
      if (this.#open.size <= mostKept) return;
      if (!liveRun.idle) continue;
      this.#open.delete(key);
      void liveRun.close();
    }
  }
}
