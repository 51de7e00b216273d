import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

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
  /** It is shared with other requests. What a small body needs is not taken from it. */
  readonly budget?: ByteBudget;
}

/** As much as most bodies need; how many of these there are is a matter of the number of connections. */
const smallBytes = 64 * 1024;

/** Each piece costs time, however small: from so many on, they have to be worth it. */
const manyPieces = 4096;
const smallestPiece = 64;

/** Reads the whole body. Throws `TooLarge`, `TooBusy` or `TooSlow` as soon as a limit is exceeded. */
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

/** Reads it as text. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(request, { maxBytes })).toString('utf8');
}

function readInto(body: GrowingBody, request: IncomingMessage, { withinMs }: BodyLimits): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  // Events, because iterating over the chunks makes a busy server ten percent slower.
  const reading = new Promise<Buffer>((resolve, reject) => {
    const giveUp = (objection: Error): void => {
      request.pause();
      request.removeAllListeners('data');
      reject(objection);
    };
    if (withinMs !== undefined)
      timer = setTimeout(() => giveUp(new TooSlow('the body did not arrive in time')), withinMs);
    request.on('data', (chunk: Buffer) => {
      const objection = body.append(chunk);
      if (objection !== undefined) giveUp(objection);
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

/** How many bytes all bodies that are being read may hold together. */
export class ByteBudget {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False, and nothing is taken, if that would be more than there is. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false;
    this.#held += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

/** How much of a refused body is read, and for how long: enough for most clients to see the answer. */
const maxDrainedBytes = 1024 * 1024;
const maxDrainedPieces = 256;
const maxDrainMs = 1000;

/**
 * Answers before the body was read, and closes the connection. Whoever is still sending would not see the
 * answer if it were closed at once, so a little is read and thrown away first.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return;
  const text = JSON.stringify({ message });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
    ...headers,
  });
  // The answer is complete with its last byte; ending it would close the connection.
  response.write(text);
  drain(request, () => response.end());
}

function drain(request: IncomingMessage, onDone: () => void): void {
  let bytes = 0;
  let pieces = 0;
  const timer = setTimeout(done, maxDrainMs);
  function done(): void {
    clearTimeout(timer);
    request.removeAllListeners('data');
    request.pause();
    onDone();
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    pieces += 1;
    if (bytes > maxDrainedBytes || pieces > maxDrainedPieces) done();
  });
  request.once('end', done);
  request.once('close', done);
  request.resume();
}

/** Compares secrets in constant time: digests have one length, and do not reveal where two texts differ. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The request names our host: another name that resolves to our address is DNS rebinding. */
export function isOurHost({ headers }: Pick<IncomingMessage, 'headers'>, origin: string): boolean {
  return headers.host === new URL(origin).host;
}

/** The request comes from one of our own pages, so no other site made a browser send it (CSRF). */
export function isOurOrigin({ headers }: Pick<IncomingMessage, 'headers'>, origin: string): boolean {
  return headers.origin === new URL(origin).origin;
}

/** All values that a request gives a cookie, for one name can come more than once. */
export function cookiesNamed({ cookie = '' }: IncomingHttpHeaders, name: string): readonly string[] {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
