/** How a ledger was lost: it is missing, not what we wrote, reset to an older commit, or without a seal. */
export type LedgerLoss = 'vanished' | 'unreadable' | 'put_back' | 'unsealed';

/** How a lost ledger was rebuilt. */
export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
  /** The history comes from a block that we cannot prove to have written. */
  readonly unproven?: true;
}
