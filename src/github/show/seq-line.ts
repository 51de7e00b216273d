import { type LedgerMark, markIn, seqMark } from '../words/seq-mark.ts';

/** How far a ledger is known to have come: its newest commit, that commit's number and the run's people. */
export interface LedgerTip extends LedgerMark {
  readonly commit: string;
}

/** A check run's text, followed by how far the ledger had come, which people do not see. */
export function withSeq(text: string, { commit, ...mark }: LedgerTip): string {
  const line = seqMark(mark, commit);
  return text === '' ? line : `${text}\n\n${line}`;
}

/** The text as people see it. */
export function withoutSeq(text: string): string {
  return markIn(text) === undefined ? text : text.slice(0, text.lastIndexOf('<!--')).trimEnd();
}
