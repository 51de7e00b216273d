/** How far a ledger had come when one of our check runs was drawn. */
export interface LedgerMark {
  /** The number of its newest commit. */
  readonly seq: number;
  /** The digest of the people whom the run named then; null if it is not known. */
  readonly people: string | null;
}

/**
 * The ledger commit from which a check run was drawn, in a line that nobody sees. Only we can write our
 * check runs, so a ledger that has not reached this number was deleted or reset.
 */
export function seqMark({ seq, people }: LedgerMark, commit: string): string {
  return `<!-- coxswain:seq ${seq} ${commit}${people === null ? '' : ` ${people}`} -->`;
}

/** What a check run's text says of the ledger; undefined if it says nothing. */
export function markIn(text: string | null | undefined): LedgerMark | undefined {
  const [, seq, people] =
    /<!-- coxswain:seq (\d{1,9}) [0-9a-f]*(?: ([0-9a-f]{64}))? -->\s*$/.exec(text ?? '') ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), people: people ?? null };
}

/** The newest of several; it names people only if all that are as new agree. */
export function newestMark(marks: readonly LedgerMark[]): LedgerMark {
  const seq = Math.max(0, ...marks.map((mark) => mark.seq));
  const [people = null, ...others] = new Set(
    marks.filter((mark) => mark.seq === seq).map((mark) => mark.people),
  );
  return { seq, people: others.length > 0 ? null : people };
}
