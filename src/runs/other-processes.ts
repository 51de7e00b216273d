import type { Clock } from './github-clock.ts';

/** How long after its last event another process is taken to be there, in milliseconds. */
const presentMs = 60 * 60_000;

/**
 * Whether other processes record events of our runs, as the replicas of an App do. Only then does what is
 * posted once cost requests to make sure of it.
 */
export class OtherProcesses {
  readonly #clock: Clock;
  #seenAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An event of another process is in a ledger. */
  seen(): void {
    this.#seenAt = this.#clock.now().getTime();
  }

  get present(): boolean {
    return this.#seenAt !== undefined && this.#clock.now().getTime() - this.#seenAt < presentMs;
  }
}
