import { parking } from '../port/live.ts';
import type { Refusal } from './permissions.ts';

/** One prompt, and what happens until the agent stops. */
export class Turn {
  readonly refusals: Refusal[] = [];
  /** The activity of the agent when it was last refused something. */
  activityBefore = 0;
  /** Why it stopped, in the protocol's words. */
  stop = '';
  #underway = false;
  #ended = false;
  #interrupted = false;
  readonly #interruption = new AbortController();
  readonly #changed: (() => void)[] = [];

  /** Aborted when its end is wanted, and when it has ended: what it asked needs no answer then. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it was us who wanted it to end. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** With the reason `parking`, what it asked stays open. */
  interrupt(reason?: typeof parking): void {
    this.#interrupted ||= !this.#ended;
    this.#interruption.abort(reason);
  }

  /** The agent has begun to work on it: an interruption would reach it. */
  hear(): void {
    if (this.#underway) return;
    this.#underway = true;
    for (const tell of this.#changed.splice(0)) tell();
  }

  end(): void {
    this.#ended = true;
    this.#interruption.abort(parking);
    this.hear();
  }

  /** Resolves when the agent has begun to work on it, when it has ended, or after so long. */
  async underway(maxMs: number): Promise<void> {
    if (this.#underway) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, maxMs);
      this.#changed.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }
}
