/**
 * Why a check run of ours took back what permitted merging. Only we can write our check runs, so it holds for
 * every process, whatever is done to the ledger or to what was said.
 */
export interface Withheld {
  /** The ledger was lost, so that earlier approvals are void. */
  readonly lost: boolean;
  /** Something could not be recorded that may take an approval back. */
  readonly unrecorded: boolean;
}

/** A line in the text of a check run that nobody sees. */
export function withheldMark({ lost, unrecorded }: Withheld): string {
  return `<!-- coxswain:withheld${lost ? ' lost' : ''}${unrecorded ? ' unrecorded' : ''} -->`;
}

/** Reads the text of a check run of ours; undefined if it withheld nothing. */
export function withheldIn(text: string | null | undefined): Withheld | undefined {
  const mark = /<!-- coxswain:withheld( lost)?( unrecorded)? -->\s*$/.exec(text ?? '');
  return mark === null ? undefined : { lost: mark[1] !== undefined, unrecorded: mark[2] !== undefined };
}

/**
 * The ledger commit from which a check run was drawn, in a line that nobody sees. Only we can write our
 * check runs, so a ledger that has not reached this number was deleted or reset.
 */
export function seqMark(seq: number, commit: string): string {
  return `<!-- coxswain:seq ${seq} ${commit} -->`;
}

/**
 * Reads it from a check run's text; undefined if that has none. Older versions wrote a digest behind it.
 */
export function tipIn(text: string | null | undefined): LedgerTip | undefined {
  const mark = /<!-- coxswain:seq (\d{1,9}) ([0-9a-f]*)(?: [0-9a-f]{64})? -->\s*$/.exec(text ?? '');
  return mark === null ? undefined : { seq: Number(mark[1]), commit: mark[2] ?? '' };
}

export function seqIn(text: string | null | undefined): number | undefined {
  return tipIn(text)?.seq;
}

/** How far a ledger is known to have come: its newest commit and that commit's number. */
export interface LedgerTip {
  readonly seq: number;
  readonly commit: string;
}

/** A check run's text, followed by how far the ledger had come, which people do not see. */
export function withSeq(text: string, { seq, commit }: LedgerTip): string {
  const line = seqMark(seq, commit);
  return text === '' ? line : `${text}\n\n${line}`;
}

/** The text as people see it. */
export function withoutSeq(text: string): string {
  return seqIn(text) === undefined ? text : text.slice(0, text.lastIndexOf('<!--')).trimEnd();
}
