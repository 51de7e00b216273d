import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Meter } from './usage.ts';

export interface RelayOptions {
  readonly redactor: Redactor;
  /** Absent where nothing is counted. */
  readonly meter?: Meter | undefined;
  /** How long an answer is read to its end after the client went away, to learn what it used. */
  readonly readOnMs: number;
  /** How long the provider may say nothing, or the client not read. */
  readonly idleMs: number;
}

/**
 * Passes an answer on as it comes, and no faster than the client reads it. An answer that breaks off breaks
 * the client's connection too: it never looks complete. Resolves when nothing more comes, and never rejects.
 */
export function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  options: RelayOptions,
): Promise<void> {
  const { redactor, meter, readOnMs, idleMs } = options;
  return new Promise((resolve) => {
    let readOn: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      // Without a client that reads, the answer is still read to learn what it used.
      if (answer.isPaused()) response.destroy();
      else answer.destroy();
    }, idleMs);
    const finish = () => {
      clearTimeout(readOn);
      clearTimeout(idle);
      resolve();
    };
    const leave = () => {
      if (response.writableFinished || readOn !== undefined) return;
      // Without a client there is nothing to wait for but what the answer used.
      readOn = setTimeout(() => answer.destroy(), meter === undefined ? 0 : readOnMs);
      answer.resume();
    };
    answer.on('data', (chunk: Buffer) => {
      idle.refresh();
      meter?.write(chunk);
      if (response.destroyed) return;
      const clean = redactor.write(chunk);
      if (clean.length > 0 && !response.write(clean)) answer.pause();
    });
    response.on('drain', () => {
      idle.refresh();
      answer.resume();
    });
    response.on('close', leave);
    answer.on('end', () => {
      if (answer.complete) meter?.end();
      response.end(redactor.end());
    });
    answer.on('error', () => response.destroy());
    answer.on('close', () => {
      if (!answer.complete) response.destroy();
      finish();
    });
    if (response.destroyed) leave();
  });
}

/** Removes keys from a stream of bytes, also where they are split. */
export interface Redactor {
  /** What can be sent on now. */
  write(chunk: Buffer): Buffer;
  /** What was held back because it could have become a key. */
  end(): Buffer;
}

/** Shorter ones, such as the `none` of a gateway without keys, would also match ordinary words. */
const shortestKey = 6;

/**
 * Writes asterisks over each key, as many as it has bytes, so that lengths and the text around it stay.
 * Nothing is held back but the beginning of a key at the end of a chunk.
 */
export function redactor(keys: readonly string[]): Redactor {
  const long = keys.filter((key) => key.length >= shortestKey);
  const secrets = long.flatMap((key) => spellings(key)).map((key) => Buffer.from(key));
  let held = Buffer.alloc(0);
  return {
    write(chunk) {
      const all = masked(held.length === 0 ? chunk : Buffer.concat([held, chunk]), secrets);
      const keep = Math.max(0, ...secrets.map((secret) => beginningAtEnd(all, secret)));
      held = Buffer.from(all.subarray(all.length - keep));
      return all.subarray(0, all.length - keep);
    },
    end() {
      const rest = held;
      held = Buffer.alloc(0);
      return rest;
    },
  };
}

/** The same for a text that is complete. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  const all = redactor(keys);
  return Buffer.concat([all.write(Buffer.from(text)), all.end()]).toString();
}

/** As it is, and as it may be written in JSON or an address. */
function spellings(key: string): readonly string[] {
  return [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
}

function masked(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
  let clean = bytes;
  for (const secret of secrets) {
    for (let at = clean.indexOf(secret); at >= 0; at = clean.indexOf(secret, at + secret.length)) {
      // A chunk may be shared with whoever counts it.
      if (clean === bytes) clean = Buffer.from(bytes);
      clean.fill('*', at, at + secret.length);
    }
  }
  return clean;
}

/** How many bytes at the end are the beginning of the secret. */
function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  }
  return 0;
}
