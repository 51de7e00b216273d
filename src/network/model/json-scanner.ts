/** A value in a JSON document. */
export interface Leaf {
  /** Keys joined by dots, `*` for a place in a list, such as `content.*.text`. */
  readonly path: string;
  /** The last key of the path. */
  readonly key: string;
  /** A number, or the beginning of a text; undefined for anything else. */
  readonly value: number | string | undefined;
  /** Of a text, in bytes as it is written. */
  readonly bytes: number;
}

/** Reads JSON as it arrives, in a bounded memory, however large it is. */
export interface JsonScanner {
  write(bytes: Uint8Array): void;
  /** The text whose end has not come yet. */
  unfinished(): Leaf | undefined;
  /** Begins a new document. */
  reset(): void;
}

const [quote, backslash, colon, comma, brace, braceEnd, bracket, bracketEnd] = [...Buffer.from('"\\:,{}[]')];
const [space, tab, newline, carriage] = [...Buffer.from(' \t\n\r')];

/** What is kept of a text, in bytes: longer ones are not looked at. */
const keptBytes = 256;
/** What is deeper is passed over. */
const keptDepth = 24;

/**
 * Names every text and number with its place. It does not check the document: what is not JSON gives fewer
 * values, or values at other places, and nothing worse.
 */
export function jsonScanner(onLeaf: (leaf: Leaf) => void): JsonScanner {
  let scan = new Scan(onLeaf);
  return {
    write: (bytes) => scan.write(bytes),
    unfinished: () => scan.unfinished(),
    reset: () => {
      scan = new Scan(onLeaf);
    },
  };
}

class Scan {
  readonly #onLeaf: (leaf: Leaf) => void;
  /** The key in each open object, `*` in each list. */
  readonly #keys: string[] = [];
  #depth = 0;
  #isKey = false;
  #state: 'between' | 'text' | 'escape' | 'word' = 'between';
  #kept = Buffer.alloc(keptBytes);
  #bytes = 0;

  constructor(onLeaf: (leaf: Leaf) => void) {
    this.#onLeaf = onLeaf;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#state === 'text') this.#inText(byte);
      else if (this.#state === 'escape') {
        this.#keep(byte);
        this.#state = 'text';
      } else this.#outside(byte);
    }
  }

  unfinished(): Leaf | undefined {
    const isText = (this.#state === 'text' || this.#state === 'escape') && !this.#isKey;
    return isText ? this.#leafOf(undefined) : undefined;
  }

  #inText(byte: number): void {
    if (byte === quote) this.#endText();
    else {
      if (byte === backslash) this.#state = 'escape';
      this.#keep(byte);
    }
  }

  #outside(byte: number): void {
    if (this.#state === 'word' && isEnd(byte)) this.#endWord();
    if (this.#state === 'word') this.#keep(byte);
    else if (byte === quote) this.#begin('text');
    else if (byte === brace || byte === bracket) this.#open(byte);
    else if (byte === braceEnd || byte === bracketEnd) this.#depth = Math.max(0, this.#depth - 1);
    else if (byte === comma) this.#isKey = this.#depth > keptDepth || this.#keys[this.#depth - 1] !== '*';
    else if (byte === colon) this.#isKey = false;
    else if (!isEnd(byte)) {
      this.#begin('word');
      this.#keep(byte);
    }
  }

  #open(byte: number): void {
    this.#depth++;
    if (this.#depth <= keptDepth) this.#keys[this.#depth - 1] = byte === bracket ? '*' : '';
    this.#isKey = byte === brace;
  }

  #begin(state: 'text' | 'word'): void {
    this.#state = state;
    this.#bytes = 0;
  }

  #keep(byte: number): void {
    if (this.#bytes < keptBytes) this.#kept[this.#bytes] = byte;
    this.#bytes++;
  }

  #endText(): void {
    this.#state = 'between';
    if (this.#isKey) {
      // A key that could be taken for a place in a list, or for a path, is none that we look for.
      const key = this.#text().replaceAll(/[.*]/g, '?');
      if (this.#depth >= 1 && this.#depth <= keptDepth) this.#keys[this.#depth - 1] = key;
    } else this.#leaf(this.#bytes <= keptBytes ? this.#text() : undefined);
  }

  #endWord(): void {
    this.#state = 'between';
    const number = this.#bytes <= keptBytes ? Number(this.#text()) : Number.NaN;
    this.#leaf(Number.isFinite(number) ? number : undefined);
  }

  #text(): string {
    return this.#kept.toString('utf8', 0, Math.min(this.#bytes, keptBytes));
  }

  #leaf(value: number | string | undefined): void {
    this.#onLeaf(this.#leafOf(value));
  }

  #leafOf(value: number | string | undefined): Leaf {
    const isDeep = this.#depth > keptDepth;
    const keys = isDeep ? ['?'] : this.#keys.slice(0, this.#depth);
    return { path: keys.join('.'), key: keys.at(-1) ?? '', value, bytes: this.#bytes };
  }
}

/** Whether a number, `true`, `false` or `null` ends here. */
function isEnd(byte: number): boolean {
  switch (byte) {
    case quote:
    case colon:
    case comma:
    case brace:
    case braceEnd:
    case bracket:
    case bracketEnd:
    case space:
    case tab:
    case newline:
    case carriage:
      return true;
  }
  return false;
}
