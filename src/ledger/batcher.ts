import type { Recorded } from '../steering/state/ports.ts';
import type { Entry, EntryResult } from './plan.ts';

/** How batches are written. */
export interface BatcherOptions {
  readonly append: (batch: readonly Entry[]) => Promise<readonly EntryResult[]>;
  readonly deferMs: number;
  /** Called for every deferred entry that failed, because nobody waits for it. */
  readonly onFault: (error: unknown, entry: Entry) => void;
}

interface Waiting {
  readonly entry: Entry;
  readonly urgent: boolean;
  readonly answered: (answer: EntryResult) => void;
}

/** The queue of a run: entries that arrive during a push are written together in the next one. */
export class Batcher {
  readonly #options: BatcherOptions;
  #waiting: Waiting[] = [];
  #going: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  add(entry: Entry): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      const answered = (answer: EntryResult): void =>
        'recorded' in answer ? resolve(answer.recorded) : reject(answer.failed);
      this.#waiting.push({ entry, urgent: true, answered });
      void this.#go();
    });
  }

  /** Written with the next entry, or after a while, however many follow it. */
  addLater(entry: Entry): void {
    const answered = (answer: EntryResult): void => {
      if ('failed' in answer) this.#options.onFault(answer.failed, entry);
    };
    this.#waiting.push({ entry, urgent: false, answered });
    this.#later ??= setTimeout(() => void this.flush(), this.#options.deferMs).unref();
  }

  /** Also writes deferred entries; resolves when the queue is empty. */
  async flush(): Promise<void> {
    this.#stopWaiting();
    this.#waiting = this.#waiting.map((each) => ({ ...each, urgent: true }));
    await this.#go();
  }

  #stopWaiting(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }

  #go(): Promise<void> {
    this.#going ??= this.#run().finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #run(): Promise<void> {
    await undefined; // entries added in the same tick are written together
    while (this.#waiting.some(({ urgent }) => urgent)) {
      const batch = this.#waiting.splice(0, batchSize(this.#waiting));
      if (this.#waiting.length === 0) this.#stopWaiting();
      const answers = await this.#append(batch);
      batch.forEach(({ answered }, index) => {
        answered(answers[index] ?? { failed: new Error('the ledger returned no answer') });
      });
    }
  }

  async #append(batch: readonly Waiting[]): Promise<readonly EntryResult[]> {
    try {
      return await this.#options.append(batch.map(({ entry }) => entry));
    } catch (failed) {
      return batch.map(() => ({ failed }));
    }
  }
}

const largestBatch = 50;

/** Up to and including the first entry with code, because code can make the whole push fail. */
function batchSize(waiting: readonly Waiting[]): number {
  const withCode = waiting.findIndex(({ entry }) => entry.code !== undefined);
  return Math.min(largestBatch, withCode === -1 ? waiting.length : withCode + 1);
}
