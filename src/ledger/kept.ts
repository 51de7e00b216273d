import type { State } from '../steering/state.ts';
import { LedgerPutBack, LedgerVanished } from './errors.ts';
import type { LedgerHead } from './parse.ts';

/** What was in a ledger once, which must never disappear. */
export type KnownEvents = Pick<LedgerHead, 'seen' | 'state'>;

interface Reading {
  /** What the ledger says now; undefined if it does not exist. */
  readonly head: LedgerHead | undefined;
  /** What this process read or wrote last. */
  readonly seen: KnownEvents | undefined;
  /** The sequence number that the pull request shows, or 0. */
  readonly expected: number;
}

/**
 * Nobody may take back what a ledger said. Throws `LedgerVanished` if it was there before, and `LedgerPutBack`
 * if it was further than it is now.
 */
export function checkKept(number: number, { head, seen, expected }: Reading): void {
  const where = `ledger of #${number}`;
  if (head === undefined) {
    if (seen !== undefined || expected > 0) throw new LedgerVanished(`${where}: it no longer exists`);
    return;
  }
  const { seq } = head.state;
  if (seq < expected) {
    const shown = `the pull request shows number ${expected}`;
    throw new LedgerPutBack(`${where}: it was reset to number ${seq}, but ${shown}`);
  }
  const lost = [...(seen?.seen ?? [])].filter((id) => !head.seen.has(id));
  if (lost.length === 0 || isRestoredSince(head.state, seen?.state)) return;
  throw new LedgerPutBack(`${where}: it was reset to an older one, without ${lost.join(', ')}`);
}

/** A restored ledger intentionally lacks the events of the previous one, but only once. */
function isRestoredSince({ restored }: State, known: State | undefined): boolean {
  if (restored === undefined) return false;
  return known?.restored === undefined || Date.parse(restored.at) > Date.parse(known.restored.at);
}
