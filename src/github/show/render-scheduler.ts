import type { Phase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';

export interface RenderSchedulerOptions {
  readonly drawAfterMs: number;
  /** False when a later state is drawn there already; `over` draws all the same. */
  readonly draw: (state: State, over: boolean) => Promise<boolean>;
  /** The state as the ledger has it now. */
  readonly reread: () => Promise<State | undefined>;
  /** The same state is shown again: somebody may have changed what was drawn. */
  readonly lookAgain: () => void;
}

/** Phases that may be over in a moment; all others wait for somebody, and are drawn at once. */
const passing: readonly Phase[] = ['queued', 'working', 'verifying'];

/** Where the ledger moves during each of this many drawings, it has other writers, and they draw too. */
const mostRounds = 5;

/** When what is drawn: one drawing at a time, the newest state only, no phase that is over in a moment. */
export class RenderScheduler {
  readonly #options: RenderSchedulerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #wanted: State | undefined;
  #drawn: number | undefined;
  #lane: Promise<unknown> = Promise.resolve();
  #hurry: () => void = () => undefined;
  #flushing = false;

  constructor(options: RenderSchedulerOptions) {
    this.#options = options;
  }

  /** Resolves when the state is drawn, or a newer one has taken its place. */
  async show(state: State): Promise<void> {
    const evaluate = this.#show(state, 1);
    this.#underWay.add(evaluate);
    try {
      await evaluate;
    } finally {
      this.#underWay.delete(evaluate);
    }
  }

  /** Draws at once what waits; resolves when nothing is left. Failures are told to whoever asked. */
  async flush(): Promise<void> {
    this.#flushing = true;
    this.#hurry();
    await Promise.allSettled(this.#underWay);
    this.#flushing = false;
  }

  async #show(state: State, round: number): Promise<void> {
    if (this.#wanted !== undefined && state.seq < this.#wanted.seq) return;
    this.#wanted = state;
    this.#hurry();
    if (this.#maySoonBeOver(state)) await this.#wait();
    if (this.#wanted !== state) return;
    const moved = await this.#inTurn(() => this.#draw(state));
    if (moved !== undefined && moved.seq > this.#wanted.seq && round < mostRounds)
      await this.#show(moved, round + 1);
  }

  #maySoonBeOver({ seq, standing }: State): boolean {
    const drawnBefore = this.#drawn !== undefined && this.#drawn < seq;
    return drawnBefore && !this.#flushing && passing.includes(standing.phase);
  }

  /** Until the phase has lasted, or a newer state has come. */
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
    const turn = this.#lane.then(work);
    // Whoever asked for this turn hears of its failure; the next turn comes all the same.
    this.#lane = turn.catch(() => undefined);
    return turn;
  }

  /** Answers with what the ledger has by now. */
  async #draw(state: State): Promise<State | undefined> {
    if (this.#wanted !== state) return undefined;
    const { draw, reread, lookAgain } = this.#options;
    if (this.#drawn === state.seq) lookAgain();
    const isNewest = await draw(state, false);
    if (isNewest) this.#drawn = state.seq;
    const now = await reread();
    if (isNewest || now === undefined || now.seq > state.seq) return now;
    // The block claims a sequence that the ledger does not have: the ledger is the memory.
    await draw(now, true);
    this.#drawn = now.seq;
    return now;
  }
}
