import { type Barrier as OfApps, startBarrier, waitingAt } from '../app/barrier.ts';
import { waitingAgent } from './repository.ts';

/** Blocks an agent in the middle of its work until opened. */
export class Barrier {
  readonly #barrier: OfApps;

  private constructor(barrier: OfApps) {
    this.#barrier = barrier;
  }

  static async start(): Promise<Barrier> {
    return new Barrier(await startBarrier());
  }

  /** An agent that waits at the barrier in its first attempt. */
  get files(): Readonly<Record<string, string>> {
    return { ...waitingAgent, 'tools/wait.mjs': waitAt(this.#barrier.path) };
  }

  /** Resolves when an agent reaches the barrier. */
  get reached(): Promise<void> {
    return this.#barrier.reached();
  }

  open(): void {
    this.#barrier.open();
  }

  close(): Promise<void> {
    return this.#barrier.close();
  }
}

function waitAt(path: string): string {
  return `${waitingAt}\nawait passed(${JSON.stringify(path)});\n`;
}
