import type { Progress, Trial, VerifierProgress } from '../steering/shapes/agent-progress.ts';

type Listener = (progress: Progress | undefined) => void;
type ListenerToAll = (run: string, progress: Progress | undefined) => void;

/**
 * What the agents of this process are doing, by run. Nobody waits for it and none of it is kept: what remains
 * of it is in the ledger.
 */
export class ProgressBoard {
  readonly #newest = new Map<string, Progress>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #toAll = new Set<ListenerToAll>();

  /** The agent of a run (`owner/repo#n`) goes on. */
  show(run: string, progress: Progress): void {
    this.#newest.set(run, progress);
    this.#tell(run, progress);
  }

  /** Its agent has ended, or there was none, and the verifiers go on. */
  verify(run: string, verifiers: readonly VerifierProgress[], trial?: Trial): void {
    const { trial: _, ...before } = this.#newest.get(run) ?? nothingYet();
    this.show(run, { ...before, stage: 'verifiers', verifiers, ...(trial !== undefined && { trial }) });
  }

  /** Its work has ended. */
  clear(run: string): void {
    if (this.#newest.delete(run)) this.#tell(run, undefined);
  }

  of(run: string): Progress | undefined {
    return this.#newest.get(run);
  }

  /** How many runs are at work in this process. */
  get size(): number {
    return this.#newest.size;
  }

  /** Told of everything from now on, with undefined when the work ends; returns how to stop that. */
  watch(run: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(run) ?? new Set();
    this.#listeners.set(run, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(run);
    };
  }

  /** Tells of the progress of every run, until the result is called. */
  watchAll(listener: ListenerToAll): () => void {
    this.#toAll.add(listener);
    return () => void this.#toAll.delete(listener);
  }

  #tell(run: string, progress: Progress | undefined): void {
    for (const listener of this.#listeners.get(run) ?? []) listener(progress);
    for (const listener of this.#toAll) listener(run, progress);
  }
}

function nothingYet(): Omit<Progress, 'stage'> {
  const calls = { total: 0, failed: 0, denied: 0 };
  return { since: new Date().toISOString(), cost: {}, near: [], calls, last: [], saying: '' };
}
