/** How far a ledger is known to have come: its newest commit and that commit's number. */
export interface LedgerTip {
  readonly seq: number;
  readonly commit: string;
}

/**
 * A check run's text with a hidden last line that says how far the ledger had come. Only we can write it, so
 * a ledger that somebody resets is older than the check runs on its own heads.
 */
export function withSeq(text: string, { seq, commit }: LedgerTip): string {
  const line = `<!-- coxswain:seq ${seq} ${commit} -->`;
  return text === '' ? line : `${text}\n\n${line}`;
}

/** The text as people see it. */
export function withoutSeq(text: string): string {
  return text.replace(lastLine, '');
}

/** The ledger's number in the text of a check run `Coxswain`; undefined if it has none. */
export function seqIn(text: string): number | undefined {
  const [, seq] = lastLine.exec(text) ?? [];
  return seq === undefined ? undefined : Number(seq);
}

const lastLine = /(?:^|\r?\n\r?\n)<!-- coxswain:seq (\d{1,15}) [0-9a-f]{40} -->\s*$/;
