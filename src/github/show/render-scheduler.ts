import { isInProgress } from '../../steering/phases/table.ts';
import type { State } from '../../steering/state/state.ts';

export interface RenderSchedulerOptions {
  readonly renderAfterMs: number;
  /** False if a later state is already shown; `force` renders anyway. */
  readonly render: (state: State, force: boolean) => Promise<boolean>;
  /** The current state in the ledger. */
  readonly reread: () => Promise<State | undefined>;
  /** Discards what is known of the pull request: someone may have changed it. */
  readonly forget: () => void;
  /** Whether what is shown may stay a little longer; not if it permits merging. */
  readonly mayWait: () => boolean;
}

/** If the ledger changes during this many renderings in a row, other processes write it and render too. */
const maxTries = 5;

/** Passing phases may follow each other without end, so what is shown becomes at most this many waits old. */
const maxWaits = 5;

/** Schedules rendering: one at a time, only the newest state, and no phase that ends at once. */
export class RenderScheduler {
  readonly #options: RenderSchedulerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #wanted: State | undefined;
  #renderedSeq: number | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #endWait: () => void = () => undefined;
  /** What is waiting to be rendered. */
  #waiting: { readonly since: number; readonly seq: number; readonly until: number } | undefined;
  #flushing = false;

  constructor(options: RenderSchedulerOptions) {
    this.#options = options;
  }

  /** Resolves when the state is rendered, or a newer one has replaced it. */
  async schedule(state: State): Promise<void> {
    const rendering = this.#schedule(state, 1);
    this.#underWay.add(rendering);
    try {
      await rendering;
    } finally {
      this.#underWay.delete(rendering);
    }
  }

  /** The same without any wait; resolves only when the state, or what has replaced it, is rendered. */
  async scheduleNow(state: State): Promise<void> {
    await Promise.all([this.schedule(state), this.flush()]);
    while ((this.#renderedSeq ?? 0) < state.seq && this.#underWay.size > 0) await this.flush();
  }

  /** Renders at once what is waiting; resolves when nothing is left. Failures go to the original callers. */
  async flush(): Promise<void> {
    this.#flushing = true;
    this.#endWait();
    await Promise.allSettled(this.#underWay);
    this.#flushing = false;
  }

  async #schedule(state: State, tries: number): Promise<void> {
    if (this.#wanted !== undefined && state.seq < this.#wanted.seq) return;
    this.#wanted = state;
    this.#endWait();
    if (this.#mayEndSoon(state)) await this.#wait(state);
    if (this.#wanted !== state) return;
    this.#waiting = undefined;
    const moved = await this.enqueue(() => this.#render(state));
    if (moved !== undefined && moved.seq > this.#wanted.seq && tries < maxTries)
      await this.#schedule(moved, tries + 1);
  }

  /** Phases in progress may end soon; all others wait for someone and are rendered at once. */
  #mayEndSoon(state: State): boolean {
    const renderedBefore = this.#renderedSeq !== undefined && this.#renderedSeq < state.seq;
    return renderedBefore && !this.#flushing && isPassing(state) && this.#options.mayWait();
  }

  /** Waits until the phase has lasted long enough, or a newer state has arrived. */
  async #wait({ seq }: State): Promise<void> {
    const { renderAfterMs } = this.#options;
    const now = performance.now();
    const since = this.#waiting?.since ?? now;
    const latest = since + maxWaits * renderAfterMs;
    // Another look at the same state is no reason to wait longer.
    const until = this.#waiting?.seq === seq ? this.#waiting.until : Math.min(now + renderAfterMs, latest);
    this.#waiting = { since, seq, until };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, until - now);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Does something between two renderings. */
  async enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    // A failure goes to the caller of this turn and does not affect the next one.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the state that is now in the ledger. */
  async #render(state: State): Promise<State | undefined> {
    if (this.#wanted !== state) return undefined;
    const { render, reread, forget } = this.#options;
    if (this.#renderedSeq === state.seq) forget();
    const isNewest = await render(state, false);
    if (isNewest) this.#renderedSeq = state.seq;
    const now = await reread();
    if (isNewest || now === undefined || now.seq > state.seq) return now;
    // The block claims a sequence number that the ledger does not have; the ledger is right.
    await render(now, true);
    this.#renderedSeq = now.seq;
    return now;
  }
}

/** An agent waits for people, who have to hear of it at once. */
function isHeld(standing: State['standing']): boolean {
  return standing.phase === 'working' && standing.asking !== undefined;
}

/** Work in progress or the final check; after an approval that fell nothing is left as it was. */
function isPassing({ standing, owed }: State): boolean {
  if (owed.some((effect) => effect.do === 'withdraw' && effect.approved)) return false;
  if (isHeld(standing)) return false;
  return isInProgress(standing.phase) || (standing.phase === 'approved' && standing.finish === 'checking');
}
