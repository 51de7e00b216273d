import type { ForeignHead } from '../ledger/remote-ledger.ts';
import type { Clock } from './github-clock.ts';

/** Whether somebody else may record events of our runs: a job of the Action always reckons with others. */
export function othersMayRecord({
  presenter,
  others,
}: {
  readonly presenter: 'app' | 'action';
  readonly others?: OtherProcesses | undefined;
}): boolean {
  return presenter === 'action' || others?.present === true;
}

/** How long after its last event another process is taken to be there, in milliseconds. */
const presentMs = 60 * 60_000;

/**
 * Whether other processes record events of our runs, as the replicas of an App do. Only then does what is
 * posted once cost requests to make sure of it.
 */
export class OtherProcesses {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #seenAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now().getTime();
  }

  /** A ledger was read that was not last written here; if for the first time, that may be long ago. */
  read({ updated_at, isFirst }: ForeignHead): void {
    if (!isFirst || Date.parse(updated_at) > this.#startedAt) this.#seenAt = this.#clock.now().getTime();
  }

  get present(): boolean {
    return this.#seenAt !== undefined && this.#clock.now().getTime() - this.#seenAt < presentMs;
  }
}
