import { randomBytes } from 'node:crypto';

/** What went wrong, with what led to it, in one line. */
export function messageOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause === undefined ? fault.message : `${fault.message}: ${messageOf(fault.cause)}`;
}

/** Under which a person finds our own fault in the log. */
export function newReference(): string {
  return randomBytes(4).toString('hex');
}
