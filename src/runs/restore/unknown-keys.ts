/** How long the processes of an App may have different keys, in milliseconds. */
const graceMs = 10 * 60_000;

/** Runs whose ledgers are sealed with a key that this process does not have, and since when. */
export class UnknownKeys {
  readonly #runs = new Map<string, { readonly key: string; readonly since: Date }>();

  /**
   * Notes it, and says whether the ledger could last be read only a short while ago, under whatever keys it
   * was since: anyone can make up new ones.
   */
  isRecent(run: string, key: string, now: Date): boolean {
    const { since } = this.#runs.get(run) ?? { since: now };
    this.#runs.set(run, { key, since });
    return now.getTime() - since.getTime() < graceMs;
  }

  /** The ledger of the run could be read. */
  forget(run: string): void {
    this.#runs.delete(run);
  }

  /** The unknown keys, each with the number of its runs, as a warning for the operator. */
  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { key } of this.#runs.values()) counts[key] = (counts[key] ?? 0) + 1;
    return counts;
  }
}
