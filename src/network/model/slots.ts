import { EventEmitter, once } from 'node:events';

/** Shares something that there is little of, in the order in which it was asked for. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #waiting = new Set<object>();
  readonly #changes = new EventEmitter<{ change: [] }>().setMaxListeners(0);

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Acts with so much of it; more than there is counts as all. Rejects if the signal aborts before. */
  async with<T>(asked: number, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const wanted = Math.min(asked, this.#count);
    await this.#turn(wanted, signal);
    try {
      return await act();
    } finally {
      this.#free += wanted;
      this.#changes.emit('change');
    }
  }

  async #turn(wanted: number, signal: AbortSignal): Promise<void> {
    const place = {};
    this.#waiting.add(place);
    try {
      signal.throwIfAborted();
      while (wanted > this.#free || this.#waiting.values().next().value !== place)
        await once(this.#changes, 'change', { signal });
      this.#free -= wanted;
    } finally {
      this.#waiting.delete(place);
      this.#changes.emit('change');
    }
  }
}
