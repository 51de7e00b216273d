/** How a ledger was lost: it is missing, not what we wrote, reset to an older commit, or without a seal. */
export type LedgerLoss = 'vanished' | 'unreadable' | 'put_back' | 'unsealed';

/** The run was begun anew after its ledger was lost. */
export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
}
