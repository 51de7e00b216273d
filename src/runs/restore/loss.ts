import type { Loss } from '../../github/words/lost-ledger.ts';
import { LedgerBroken, LedgerPutBack, LedgerTooNew, LedgerVanished } from '../../ledger/errors.ts';

/** How a ledger was lost, if that is what the error means. */
export function lossFrom(fault: unknown): Loss | undefined {
  if (fault instanceof LedgerTooNew) return 'too_new';
  if (fault instanceof LedgerVanished) return 'vanished';
  if (fault instanceof LedgerPutBack) return 'put_back';
  return fault instanceof LedgerBroken ? 'unreadable' : undefined;
}
