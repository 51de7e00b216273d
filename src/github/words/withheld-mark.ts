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

/** What the text of a check run of ours says; undefined if it withheld nothing. */
export function withheldIn(text: string | null | undefined): Withheld | undefined {
  const mark = /<!-- coxswain:withheld( lost)?( unrecorded)? -->\s*$/.exec(text ?? '');
  return mark === null ? undefined : { lost: mark[1] !== undefined, unrecorded: mark[2] !== undefined };
}
