import type { Recorded } from '../steering/ports.ts';
import type { Answer, Entry } from './plan.ts';

/** How a lane sends its batches out. */
export interface BatcherOptions {
  readonly append: (batch: readonly Entry[]) => Promise<readonly Answer[]>;
  readonly deferMs: number;
  /** Told of every deferred undertaking that failed, since nobody waits for it. */
  readonly onFault: (error: unknown, entry: Entry) => void;
}

interface Waiting {
  readonly entry: Entry;
  readonly urgent: boolean;
  readonly answered: (answer: Answer) => void;
}

/** One lane per run: what waits while a push is under way goes out together with the next. */
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
      const answered = (answer: Answer): void =>
        'recorded' in answer ? resolve(answer.recorded) : reject(answer.failed);
      this.#waiting.push({ entry, urgent: true, answered });
      void this.#go();
    });
  }

  addLater(entry: Entry): void {
    const answered = (answer: Answer): void => {
      if ('failed' in answer) this.#options.onFault(answer.failed, entry);
    };
    this.#waiting.push({ entry, urgent: false, answered });
    clearTimeout(this.#later);
    this.#later = setTimeout(() => void this.flush(), this.#options.deferMs).unref();
  }

  /** Sends out what was deferred too, and waits until nothing waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#later);
    this.#waiting = this.#waiting.map((each) => ({ ...each, urgent: true }));
    await this.#go();
  }

  #go(): Promise<void> {
    this.#going ??= this.#run().finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #run(): Promise<void> {
    await undefined; // what is added in the same breath goes out together
    while (this.#waiting.some(({ urgent }) => urgent)) {
      const batch = this.#waiting.splice(0, batchSize(this.#waiting));
      const answers = await this.#append(batch);
      batch.forEach(({ answered }, index) => {
        answered(answers[index] ?? { failed: new Error('the ledger gave no answer') });
      });
    }
  }

  async #append(batch: readonly Waiting[]): Promise<readonly Answer[]> {
    try {
      return await this.#options.append(batch.map(({ entry }) => entry));
    } catch (failed) {
      return batch.map(() => ({ failed }));
    }
  }
}

const largestBatch = 50;

/** Up to and including the first that brings code: its fate is the fate of the whole push. */
function batchSize(waiting: readonly Waiting[]): number {
  const withCode = waiting.findIndex(({ entry }) => entry.code !== undefined);
  return Math.min(largestBatch, withCode === -1 ? waiting.length : withCode + 1);
}
