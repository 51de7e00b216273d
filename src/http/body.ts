import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from './byte-budget.ts';

/** The body is too large, or costs too much to read; the rest of it is not read. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** Other bodies hold all the memory there is for them; the rest of this one is not read. */
export class TooBusy extends Error {
  override name = 'TooBusy';
}

/** The body takes too long to arrive; the rest of it is not read. */
export class TooSlow extends Error {
  override name = 'TooSlow';
}

interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds for all of it to arrive; absent: the server knows. */
  readonly withinMs?: number;
  /** Shared with other requests. What a small body needs is not taken from it. */
  readonly budget?: ByteBudget;
}

/** As much as most bodies need; how many of these there are is a matter of the number of connections. */
const smallBytes = 64 * 1024;

/** Each piece costs time, however small: from so many on, they have to be worth it. */
const manyPieces = 4096;
const smallestPiece = 64;

/** The whole body. Throws `TooLarge`, `TooBusy` or `TooSlow` as soon as a limit is exceeded. */
export async function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { maxBytes } = limits;
  const declared = Number(request.headers['content-length'] ?? maxBytes);
  if (request.headers['content-length'] !== undefined && declared > maxBytes)
    throw new TooLarge(`the body has ${declared} bytes; the limit is ${maxBytes}`);
  const body = new GrowingBody(Math.min(declared, maxBytes), limits);
  try {
    return await readInto(body, request, limits);
  } finally {
    body.release();
  }
}

/** The same as text. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(request, { maxBytes })).toString('utf8');
}

function readInto(body: GrowingBody, request: IncomingMessage, { withinMs }: BodyLimits): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  // Events, because iterating over the chunks makes a busy server ten percent slower.
  const reading = new Promise<Buffer>((resolve, reject) => {
    const refuse = (objection: Error): void => {
      request.pause();
      request.removeAllListeners('data');
      reject(objection);
    };
    if (withinMs !== undefined)
      timer = setTimeout(() => refuse(new TooSlow('the body did not arrive in time')), withinMs);
    request.on('data', (chunk: Buffer) => {
      const objection = body.append(chunk);
      if (objection !== undefined) refuse(objection);
    });
    request.on('end', () => resolve(body.content));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('the request was aborted'));
    });
  });
  return reading.finally(() => clearTimeout(timer));
}

/**
 * One buffer that doubles up to the expected size. Chunks are copied: each of them, even of one byte, would
 * otherwise keep an object and the buffer it was read into.
 */
class GrowingBody {
  readonly #expected: number;
  readonly #limits: BodyLimits;
  #buffer: Buffer;
  #bytes = 0;
  #pieces = 0;
  #taken = 0;

  constructor(expected: number, limits: BodyLimits) {
    this.#expected = expected;
    this.#limits = limits;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(expected, smallBytes));
  }

  /** Returns why a chunk does not fit. */
  append(chunk: Buffer): TooLarge | TooBusy | undefined {
    const bytes = this.#bytes + chunk.length;
    const { maxBytes } = this.#limits;
    this.#pieces += 1;
    if (this.#pieces > manyPieces && bytes < this.#pieces * smallestPiece)
      return new TooLarge('the body comes in too many small pieces');
    if (bytes > maxBytes) return new TooLarge(`the body has more than ${maxBytes} bytes`);
    if (bytes > this.#buffer.length && !this.#growTo(bytes))
      return new TooBusy('other requests hold all the memory there is for bodies');
    chunk.copy(this.#buffer, this.#bytes);
    this.#bytes = bytes;
    return undefined;
  }

  get content(): Buffer {
    return this.#buffer.subarray(0, this.#bytes);
  }

  /** What was taken from the budget is there for others again. */
  release(): void {
    this.#limits.budget?.giveBack(this.#taken);
    this.#taken = 0;
  }

  /** While it is copied there are two buffers, so both are taken from the budget. */
  #growTo(bytes: number): boolean {
    const size = Math.min(Math.max(2 * this.#buffer.length, bytes), Math.max(this.#expected, bytes));
    const { budget } = this.#limits;
    if (budget?.take(size) === false) return false;
    const grown = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(grown, 0, 0, this.#bytes);
    this.#buffer = grown;
    budget?.giveBack(this.#taken);
    this.#taken = size;
    return true;
  }
}
