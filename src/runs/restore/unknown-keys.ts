/** How long the processes of an App may have different keys, in milliseconds. */
const graceMs = 10 * 60_000;

/** Runs whose ledgers are sealed with a key that this process does not have, and since when. */
export class UnknownKeys {
  readonly #runs = new Map<string, { readonly key: string; readonly since: Date }>();

  /** Notes it, and says whether it was first noted only a short while ago. */
  isRecent(run: string, key: string, now: Date): boolean {
    const known = this.#runs.get(run);
    const noted = known?.key === key ? known : { key, since: now };
    this.#runs.set(run, noted);
    return now.getTime() - noted.since.getTime() < graceMs;
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
