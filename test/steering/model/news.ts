import type { GitHubEvent } from '../../../src/github/events/github-event.ts';

/** The webhooks that are still to come: late, twice, in any order, or never. */
export class News {
  #pending: GitHubEvent[] = [];
  /** More than these are never delivered. */
  readonly #most = 60;

  add(event: GitHubEvent): void {
    this.#pending.push(event);
    if (this.#pending.length > this.#most) this.#pending.shift();
  }

  get size(): number {
    return this.#pending.length;
  }

  /** Takes one of them out. */
  take(index: number): GitHubEvent | undefined {
    return this.#pending.splice(index, 1)[0];
  }

  clear(): void {
    this.#pending = [];
  }
}
