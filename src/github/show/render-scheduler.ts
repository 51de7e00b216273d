import type { Phase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';

export interface RenderSchedulerOptions {
  readonly drawAfterMs: number;
  /** False if a later state is already shown; `over` renders anyway. */
  readonly draw: (state: State, over: boolean) => Promise<boolean>;
  /** The current state in the ledger. */
  readonly reread: () => Promise<State | undefined>;
  /** The same state is rendered again because someone may have changed the pull request. */
  readonly lookAgain: () => void;
}

/** Phases that may end soon; all others wait for someone and are rendered at once. */
const passing: readonly Phase[] = ['queued', 'working', 'verifying'];

/** If the ledger changes during this many renderings in a row, other processes write it and render too. */
const maxTries = 5;

/** Schedules rendering: one at a time, only the newest state, and no phase that ends at once. */
export class RenderScheduler {
  readonly #options: RenderSchedulerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #wanted: State | undefined;
  #drawn: number | undefined;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #hurry: () => void = () => undefined;
  #flushing = false;

  constructor(options: RenderSchedulerOptions) {
    this.#options = options;
  }

  /** Resolves when the state is rendered, or a newer one has replaced it. */
  async show(state: State): Promise<void> {
    const showing = this.#show(state, 1);
    this.#underWay.add(showing);
    try {
      await showing;
    } finally {
      this.#underWay.delete(showing);
    }
  }

  /** Renders at once what is waiting; resolves when nothing is left. Failures go to the original callers. */
  async flush(): Promise<void> {
    this.#flushing = true;
    this.#hurry();
    await Promise.allSettled(this.#underWay);
    this.#flushing = false;
  }

  async #show(state: State, tries: number): Promise<void> {
    if (this.#wanted !== undefined && state.seq < this.#wanted.seq) return;
    this.#wanted = state;
    this.#hurry();
    if (this.#maySoonBeOver(state)) await this.#wait();
    if (this.#wanted !== state) return;
    const moved = await this.#inTurn(() => this.#draw(state));
    if (moved !== undefined && moved.seq > this.#wanted.seq && tries < maxTries)
      await this.#show(moved, tries + 1);
  }

  #maySoonBeOver({ seq, standing }: State): boolean {
    const drawnBefore = this.#drawn !== undefined && this.#drawn < seq;
    return drawnBefore && !this.#flushing && passing.includes(standing.phase);
  }

  /** Waits until the phase has lasted long enough, or a newer state has arrived. */
  async #wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.drawAfterMs);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    // A failure goes to the caller of this turn and does not affect the next one.
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the state that is now in the ledger. */
  async #draw(state: State): Promise<State | undefined> {
    if (this.#wanted !== state) return undefined;
    const { draw, reread, lookAgain } = this.#options;
    if (this.#drawn === state.seq) lookAgain();
    const isNewest = await draw(state, false);
    if (isNewest) this.#drawn = state.seq;
    const now = await reread();
    if (isNewest || now === undefined || now.seq > state.seq) return now;
    // The block claims a sequence number that the ledger does not have; the ledger is right.
    await draw(now, true);
    this.#drawn = now.seq;
    return now;
  }
}
