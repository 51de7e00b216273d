import { randomBytes } from 'node:crypto';

/** The message of an error and its causes, in one line. */
export function messageOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause === undefined ? fault.message : `${fault.message}: ${messageOf(fault.cause)}`;
}

/** A reference that finds an internal error in the log. */
export function newReference(): string {
  return randomBytes(4).toString('hex');
}
