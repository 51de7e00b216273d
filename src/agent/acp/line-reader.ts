/** Cuts a stream into lines, none of which may be longer than so many bytes. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #tooLong = false;

  constructor(maxBytes: number, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooLong = onTooLong;
  }

  /** The lines that this completes. None after one that is too long, for nobody knows where it ends. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, end));
      if (!this.#tooLong) lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (this.#tooLong || part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#tooLong = true;
    this.#parts = [];
    this.#onTooLong();
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
