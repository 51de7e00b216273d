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

/** There was a ledger, and neither the open nor the closed one is there any more. */
export class LedgerVanished extends LedgerBroken {
  override name = 'LedgerVanished';
}

/** There is a ledger, but an older one than the one we have seen, or the pull request was drawn from. */
export class LedgerPutBack extends LedgerBroken {
  override name = 'LedgerPutBack';
}

/** The ledger was written by a newer Coxswain. */
export class LedgerTooNew extends Error {
  override name = 'LedgerTooNew';
}
