/** Keeps the last `limit` bytes of a stream, however long it is. */
export class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * this.#limit) this.#shorten();
  }

  /** Whether the beginning was dropped. */
  get cut(): boolean {
    return this.#cut || this.#bytes > this.#limit;
  }

  text(): string {
    if (this.#bytes > this.#limit) this.#shorten();
    const text = Buffer.concat(this.#chunks).toString('utf8');
    return this.#cut ? fromLineStart(text) : text;
  }

  #shorten(): void {
    const kept = Buffer.concat(this.#chunks).subarray(-this.#limit);
    // A copy: a view would keep the whole buffer in memory.
    this.#chunks = [Buffer.from(kept)];
    this.#bytes = kept.length;
    this.#cut = true;
  }
}

/** Drops a partial first line: it could contain part of a secret, which redaction would not recognize. */
function fromLineStart(text: string): string {
  const lineEnd = text.indexOf('\n');
  return lineEnd >= 0 && lineEnd < 4096 ? text.slice(lineEnd + 1) : text;
}
