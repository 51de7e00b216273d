import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { replacing } from '../server/replacing.ts';
import type { Meter } from './usage.ts';

interface RelayOptions {
  /** Which must not be in it. */
  readonly keys: readonly string[];
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  /** Absent where nothing is counted. */
  readonly meter?: Pick<Meter, 'write' | 'end'> | undefined;
  /** How long an answer is read to its end after the client went away, to learn what it used. */
  readonly readOnMs: number;
  /** How long the provider may say nothing, or the client not read. */
  readonly idleMs: number;
}

/**
 * Passes an answer on as it comes, and no faster than the client reads it. An answer that breaks off breaks
 * the client's connection too: it never looks complete. Resolves when nothing more comes, and never rejects.
 */
export async function relay(answer: IncomingMessage, response: ServerResponse, options: RelayOptions) {
  const { keys, gone, meter, readOnMs, idleMs } = options;
  const redacted = redactor(keys);
  let isUnread = false;
  // Without a client that reads, the answer is still read to learn what it used.
  const idle = setTimeout(() => (isUnread ? response : answer).destroy(), idleMs);
  let readOn: NodeJS.Timeout | undefined;
  const leave = () => {
    // Without a client there is nothing to wait for but what the answer used.
    readOn = setTimeout(() => answer.destroy(), meter === undefined ? 0 : readOnMs);
  };
  if (gone.aborted) leave();
  else gone.addEventListener('abort', leave, { once: true });
  try {
    for await (const chunk of answer) {
      idle.refresh();
      meter?.write(chunk);
      if (response.destroyed) continue;
      isUnread = !response.write(redacted.write(chunk));
      if (isUnread) await once(response, 'drain', { signal: gone }).catch(() => undefined);
      isUnread = false;
      idle.refresh();
    }
    meter?.end();
    response.end(redacted.end());
  } catch {
    response.destroy();
  } finally {
    gone.removeEventListener('abort', leave);
    clearTimeout(readOn);
    clearTimeout(idle);
  }
}

/** Shorter ones, such as the `none` of a gateway without keys, would also match ordinary words. */
const shortestKey = 6;

/**
 * Writes asterisks over each key in a stream, as many as it has bytes, so that lengths and the text around it
 * stay.
 */
export function redactor(keys: readonly string[]): ReturnType<typeof replacing> {
  const long = keys.filter((key) => key.length >= shortestKey).flatMap(spellings);
  return replacing(long.map((key) => [key, '*'.repeat(key.length)]));
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
