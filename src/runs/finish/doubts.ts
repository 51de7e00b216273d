import type { Event } from '../../steering/event.ts';

/**
 * What this process may not know of a run: what happened before it was started, and what it could not record.
 * Until that is settled, nothing of ours permits merging: it may be what takes an approval back.
 */
export class Doubts {
  #isOpen = true;
  /** Raised again while it was being settled. */
  #times = 0;
  /** Clicks that could not be recorded, by their ids, each with who clicked: GitHub does not list them. */
  readonly #clicks = new Map<string, number>();

  get times(): number {
    return this.#times;
  }

  get isOpen(): boolean {
    return this.#isOpen || this.#clicks.size > 0;
  }

  /** This process knows the run from its first event. */
  begin(): void {
    this.#isOpen = false;
  }

  /** An event could not be recorded, or the ledger could not be read. */
  raise(event?: Event): void {
    this.#times++;
    this.#isOpen = true;
    if (event?.type === 'said' && event.source.from === 'click') this.#clicks.set(event.id, event.by.id);
  }

  /** The event is in the ledger; whoever clicked has spoken again. */
  recorded(event: Event): void {
    if (event.type !== 'said') return;
    for (const [id, by] of this.#clicks) if (by === event.by.id) this.#clicks.delete(id);
  }

  /** All that GitHub lists was recorded, if no doubt was raised since there had been so many. */
  settle(times: number): void {
    if (times === this.#times) this.#isOpen = false;
  }
}
