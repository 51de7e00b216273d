import type { State } from '../steering/state.ts';
import { Lane } from './live-run.ts';
import type { Repository, Workshop } from './services.ts';

/** How many quiet lanes are kept warm; beyond, the least recently used are put away. */
const mostKept = 500;

/** One lane for each run, for as long as it is used. */
export class Lanes {
  readonly workshop: Workshop;
  readonly #open = new Map<string, Lane>();

  constructor(workshop: Workshop) {
    this.workshop = workshop;
  }

  of(repository: Repository, number: number): Lane {
    const key = `${repository.id}#${number}`;
    const lane = this.#known(key, repository) ?? new Lane(repository, number, this.workshop);
    // Set again, so that the map's order is the order of use.
    this.#open.delete(key);
    this.#open.set(key, lane);
    this.#putAway();
    return lane;
  }

  /**
   * A lane whose repository was renamed, or is reached in another way now, ends when nothing is under way.
   */
  #known(key: string, repository: Repository): Lane | undefined {
    const lane = this.#open.get(key);
    if (lane === undefined || lane.repository === repository || !lane.idle) return lane;
    void lane.close();
    return undefined;
  }

  /** When everything told so far has been acted upon. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open.values()].map((lane) => lane.settled()));
  }

  /** Whether nothing is under way in any lane. */
  get quiet(): boolean {
    return [...this.#open.values()].every((lane) => lane.quiet);
  }

  /** The newest state of every run seen here. */
  newest(): readonly State[] {
    return [...this.#open.values()].flatMap(({ newest }) => newest ?? []);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((lane) => lane.close()));
    this.#open.clear();
  }

  #putAway(): void {
    for (const [key, lane] of this.#open) {
      if (this.#open.size <= mostKept) return;
      if (!lane.idle) continue;
      this.#open.delete(key);
      void lane.close();
    }
  }
}
