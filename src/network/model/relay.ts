import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Redactor } from './redactor.ts';
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
