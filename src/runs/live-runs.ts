import type { State } from '../steering/state.ts';
import { LiveRun } from './live-run.ts';
import type { Repository } from './repository.ts';
import type { Services } from './services.ts';

/**
 * How many idle runs are kept open; beyond that, the least recently used are closed. Not an `lru-cache`: that
 * would also evict a run that is busy.
 */
const maxIdle = 500;

/** The runs that are open in this process, one object each. */
export class LiveRuns {
  readonly services: Services;
  readonly #open = new Map<string, LiveRun>();

  constructor(services: Services) {
    this.services = services;
  }

  of(repository: Repository, number: number): LiveRun {
    const key = `${repository.id}#${number}`;
    const liveRun = this.#known(key, repository) ?? new LiveRun(repository, number, this.services);
    // Inserted again, so that the map is in order of use.
    this.#open.delete(key);
    this.#open.set(key, liveRun);
    this.#closeIdle();
    return liveRun;
  }

  /** If the repository was renamed or has a new client, the old object is closed once it is idle. */
  #known(key: string, repository: Repository): LiveRun | undefined {
    const liveRun = this.#open.get(key);
    if (liveRun === undefined || liveRun.repository === repository || !liveRun.idle) return liveRun;
    void liveRun.close();
    return undefined;
  }

  /** Resolves when every event so far has been acted upon. */
  async drained(): Promise<void> {
    await Promise.all([...this.#open.values()].map((liveRun) => liveRun.drained()));
  }

  /** Whether nothing is in progress for any run. */
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

  #closeIdle(): void {
    for (const [key, liveRun] of this.#open) {
      if (this.#open.size <= maxIdle) return;
      if (!liveRun.idle) continue;
      this.#open.delete(key);
      void liveRun.close();
    }
  }
}
