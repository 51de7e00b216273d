import { seqIn, seqMark } from '../words/seq-mark.ts';

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
