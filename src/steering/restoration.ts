import type { LedgerLoss } from './standing.ts';

/** How a lost ledger was rebuilt. */
export interface Restoration {
  readonly at: string;
  readonly by: string;
  readonly lost: LedgerLoss;
  /** The history comes from a block that we cannot prove to have written. */
  readonly unproven?: true;
}
