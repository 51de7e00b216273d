/**
 * Work that one asks for again and again, with one round at a time. Whoever asks while a round is under way
 * needs one that begins afterwards: what made them ask may have come too late for it.
 */
export class Rounds<Part> {
  readonly #work: (part: Part | undefined) => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: { part: Part | undefined; readonly done: Promise<void> } | undefined;

  constructor(work: (part: Part | undefined) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a round that began after this call is done; without a part, everything is done in it. */
  again(part?: Part): Promise<void> {
    if (this.#underWay === undefined) return this.#start(part);
    this.#next ??= { part, done: this.#underWay.catch(() => undefined).then(() => this.#startNext()) };
    if (part === undefined) this.#next.part = undefined;
    return this.#next.done;
  }

  #start(part: Part | undefined): Promise<void> {
    this.#underWay = this.#work(part).finally(() => {
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

/** Work that is done only once, by its id, unless it failed. */
export class Once {
  readonly #begun = new Map<string, Promise<void>>();

  async do(id: string, work: () => Promise<void>): Promise<void> {
    const known = this.#begun.get(id);
    if (known !== undefined) return known;
    const doing = work();
    this.#begun.set(id, doing);
    try {
      await doing;
    } catch (fault) {
      this.#begun.delete(id);
      throw fault;
    }
  }

  /** Whether such work is under way, or done. */
  has(id: string): boolean {
    return this.#begun.has(id);
  }
}

/** Work that is under way; whoever began it handles its failure. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    this.#all.add(work);
    void work.catch(() => undefined).finally(() => this.#all.delete(work));
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Resolves when all is done that is under way now; never rejects. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}
