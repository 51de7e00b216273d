/** Soon enough for people who watch, and seldom enough for whoever else this process works for. */
const publishEveryMs = 150;

/** So often also if nothing changed: an agent that reports nothing of what it does still costs something. */
const quietTicks = 13;

/**
 * Shows how something stands now, a moment after it has changed: agents report every word, and to show one is
 * much more work than to read it.
 */
export class Publishing {
  readonly #publish: () => void;
  readonly #timer: NodeJS.Timeout;
  #isChanged = false;
  #quiet = 0;

  constructor(publish: () => void) {
    this.#publish = publish;
    publish();
    this.#timer = setInterval(() => this.#tick(), publishEveryMs);
  }

  changed(): void {
    this.#isChanged = true;
  }

  /** What is not shown yet is shown now. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#isChanged) this.#show();
  }

  #tick(): void {
    this.#quiet += 1;
    if (this.#isChanged || this.#quiet >= quietTicks) this.#show();
  }

  #show(): void {
    this.#isChanged = false;
    this.#quiet = 0;
    this.#publish();
  }
}
