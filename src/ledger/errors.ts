/** The deadline passed before the write succeeded or the remote was reached. The event can be retried. */
export class LedgerBusy extends Error {
  override name = 'LedgerBusy';
}

/** The remote's rules forbid writing the ledger. */
export class LedgerDeclined extends Error {
  override name = 'LedgerDeclined';
  /** The server's message. */
  readonly reason: string;

  constructor(what: string, reason: string) {
    super(`could not write ${what}: ${reason}`);
    this.reason = reason;
  }
}

/** The ledger is not valid: someone force-pushed the ref, or another program wrote to it. */
export class LedgerBroken extends Error {
  override name = 'LedgerBroken';
}

/** There was a ledger, but neither the open nor the closed ref exists now. */
export class LedgerVanished extends LedgerBroken {
  override name = 'LedgerVanished';
}

/** The ledger is older than one we have seen, or than the one the pull request was rendered from. */
export class LedgerPutBack extends LedgerBroken {
  override name = 'LedgerPutBack';
}

/** The ledger was written by a newer Coxswain. */
export class LedgerTooNew extends Error {
  override name = 'LedgerTooNew';
}
