import { createHash } from 'node:crypto';

/** Binds an event to the text at the time: SHA-256 of its UTF-8, in hexadecimal. */
export function textSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
