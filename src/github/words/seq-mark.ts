/**
 * The ledger commit from which a check run was drawn, in a line that nobody sees. Only we can write our
 * check runs, so a ledger that has not reached this number was deleted or reset.
 */
export function seqMark(seq: number, commit: string): string {
  return `<!-- coxswain:seq ${seq} ${commit} -->`;
}

/** The number in a check run's text; undefined if it has none. Older versions wrote a digest behind it. */
export function seqIn(text: string | null | undefined): number | undefined {
  const [, seq] = /<!-- coxswain:seq (\d{1,9}) [0-9a-f]*(?: [0-9a-f]{64})? -->\s*$/.exec(text ?? '') ?? [];
  return seq === undefined ? undefined : Number(seq);
}
