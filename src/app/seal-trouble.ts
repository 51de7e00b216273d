import { LedgerBroken, LedgerKeyLost, LedgerKeyUnknown, LedgerTooNew } from '../ledger/errors.ts';
import { messageOf } from '../runs/faults.ts';
import { shortened } from '../text/cut.ts';
import { visible } from '../text/visible.ts';

/** Why a ledger cannot be read or sealed, and what an operator can do. Sentences without their full stops. */
export interface SealTrouble {
  readonly why: string;
  readonly remedy: string;
}

const rebuild =
  'someone with the role maintain can use /resume on the pull request, which rebuilds the ledger';

/** What the error means to the operator of the App. */
export function troubleFrom(fault: unknown): SealTrouble {
  const key = `the key \`${keyIn(fault)}\``;
  if (fault instanceof LedgerKeyUnknown) {
    return fault.retired
      ? {
          why: `${key} is retired, but this run is open`,
          remedy: 'Remove the - before it until it is sealed again',
        }
      : { why: `${key} is not in COXSWAIN_LEDGER_KEY`, remedy: `Add it; if it is gone, ${rebuild}` };
  }
  if (fault instanceof LedgerKeyLost)
    return { why: `${key} is declared lost`, remedy: `Nothing it sealed is believed: ${rebuild}` };
  const why = visible(messageOf(fault));
  if (fault instanceof LedgerTooNew) return { why, remedy: 'Upgrade Coxswain' };
  if (fault instanceof LedgerBroken) return { why, remedy: `It is not believed: ${rebuild}` };
  return { why, remedy: 'Try again later' };
}

/** An id of ours is short; whatever else stands there is cut. */
const maxKey = 40;

/** The id of the key that stands in the way, without what a terminal would obey; null if it is not a key. */
export function keyIn(fault: unknown): string | null {
  if (!(fault instanceof LedgerKeyUnknown || fault instanceof LedgerKeyLost)) return null;
  return shortened(visible(fault.key), maxKey);
}
