/** The deadline passed before the write succeeded or the remote was reached. The event can be retried. */
export class LedgerBusy extends Error {
  override name = 'LedgerBusy';
}

/** The remote's rules forbid writing the ledger. */
export class LedgerDeclined extends Error {
  override name = 'LedgerDeclined';
  /** What the server said. */
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

/** The ledger has no seal: someone else wrote it, or a version of the App that did not seal ledgers. */
export class LedgerUnsealed extends LedgerBroken {
  override name = 'LedgerUnsealed';
}

/** The ledger is sealed with a key that the operator has declared lost: anybody may have written it. */
export class LedgerKeyLost extends LedgerBroken {
  override name = 'LedgerKeyLost';
  readonly key: string;

  constructor(where: string, key: string) {
    super(`${where}: it is sealed with the key ${key}, which is declared lost`);
    this.key = key;
  }
}

/** The ledger was written by a newer Coxswain. */
export class LedgerTooNew extends Error {
  override name = 'LedgerTooNew';
}

/** The key of a seal, and what the commit says about itself. */
interface SealedWith {
  readonly key: string;
  readonly seq: number;
  /** The process has the key, but only for the ledgers of ended runs. */
  readonly retired: boolean;
}

/**
 * The ledger of a run is sealed with a key that this process does not have, or not for open runs; nothing may
 * be done with it.
 */
export class LedgerKeyUnknown extends Error {
  override name = 'LedgerKeyUnknown';
  readonly key: string;
  /** The number that it claims to have. */
  readonly seq: number;
  readonly retired: boolean;

  constructor(where: string, { key, seq, retired }: SealedWith) {
    const why = retired ? 'is retired, but this run is open' : 'is not known here';
    super(`${where}: it is sealed with the key ${JSON.stringify(key.slice(0, 40))}, which ${why}`);
    this.key = key;
    this.seq = seq;
    this.retired = retired;
  }
}

/** The ledger of a run that the App presents; the Action leaves it alone. */
export class LedgerOfApp extends Error {
  override name = 'LedgerOfApp';
}

/** Whether a ledger itself is at fault, so that it says the same until it changes. */
export function isOfLedger(fault: unknown): boolean {
  return [LedgerBroken, LedgerTooNew, LedgerKeyUnknown, LedgerOfApp].some((kind) => fault instanceof kind);
}
