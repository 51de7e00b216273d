/** What is to be done for an approved run: a `check` merges nothing. */
export type FinishPart = 'check' | undefined;

/**
 * Checks an approved run once at a time. Whoever asks while a check is under way needs one that begins
 * afterwards: what made them ask may have come too late for it.
 */
export class Finishing {
  readonly #finish: (part: FinishPart) => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: { part: FinishPart; readonly done: Promise<void> } | undefined;

  constructor(finish: (part: FinishPart) => Promise<void>) {
    this.#finish = finish;
  }

  /** Resolves when a check that began after this call is done. */
  again(part: FinishPart): Promise<void> {
    if (this.#underWay === undefined) return this.#start(part);
    this.#next ??= { part, done: this.#underWay.catch(() => undefined).then(() => this.#startNext()) };
    if (part === undefined) this.#next.part = undefined;
    return this.#next.done;
  }

  #start(part: FinishPart): Promise<void> {
    this.#underWay = this.#finish(part).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  #startNext(): Promise<void> {
    const part = this.#next?.part;
    this.#next = undefined;
    return this.#start(part);
  }
}
