/** The deadline passed before it was our turn or the remote was reached. The event may be tried again. */
export class LedgerBusy extends Error {
  override name = 'LedgerBusy';
}

/** The remote's rules do not let the ledger be written at all. */
export class LedgerDeclined extends Error {
  override name = 'LedgerDeclined';
  /** The server's words. */
  readonly reason: string;

  constructor(what: string, reason: string) {
    super(`could not write ${what}: ${reason}`);
    this.reason = reason;
  }
}

/** The ledger is not what we left: somebody forced the ref, or a write of another program went wrong. */
export class LedgerBroken extends Error {
  override name = 'LedgerBroken';
}

/** The ledger was written by a newer Coxswain. */
export class LedgerTooNew extends Error {
  override name = 'LedgerTooNew';
}
