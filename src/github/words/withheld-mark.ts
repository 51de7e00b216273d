import { textSha256 } from '../text-digest.ts';

/**
 * Why a check run of ours took back what permitted merging. Only we can write our check runs, so it holds for
 * every process, whatever is done to the ledger or to what was said.
 */
export interface Withheld {
  /** The ledger was lost, so that earlier approvals are void. */
  readonly lost: boolean;
  /** Of the events that could not be recorded, as `eventDigest` names them; they may concern the approval. */
  readonly unrecorded: readonly string[];
}

/** Beyond this the newest are named: whichever of them is missing, earlier approvals do not count. */
const maxNamed = 200;

/** Event ids have no bound on their length that a check run could rely on. */
export function eventDigest(id: string): string {
  return textSha256(id).slice(0, 16);
}

/** A line in the text of a check run that nobody sees. */
export function withheldMark({ lost, unrecorded }: Withheld): string {
  return `<!-- ${['coxswain:withheld', ...(lost ? ['lost'] : []), ...unrecorded.slice(-maxNamed)].join(' ')} -->`;
}

/** What the text of a check run of ours says; undefined if it withheld nothing. */
export function withheldIn(text: string | null | undefined): Withheld | undefined {
  const [, words] = /<!-- coxswain:withheld((?: lost| [0-9a-f]{16})*) -->\s*$/.exec(text ?? '') ?? [];
  if (words === undefined) return undefined;
  const all = words.split(' ').filter((word) => word !== '');
  return { lost: all.includes('lost'), unrecorded: all.filter((word) => word !== 'lost') };
}
