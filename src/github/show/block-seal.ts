import type { Sealed, Seals } from '../../seal/seals.ts';
import { textSha256 } from '../text-digest.ts';

/** Whose block it is, and how to prove that we wrote it. */
export interface BlockSeal {
  readonly seals: Seals;
  readonly repository_id: number;
  /** The pull request's number. */
  readonly number: number;
}

const ending = /,"seal":"([^"\\]*)"\}$/;

/** Adds the last key, `seal`, to a block's JSON. */
export function withSeal(json: string, of: BlockSeal): string {
  return `${json.slice(0, -1)},"seal":${JSON.stringify(of.seals.seal(sealed(json, of)))}}`;
}

/** Whether we wrote this JSON for this pull request; anyone with write access can edit its body. */
export function isSealed(json: string, of: BlockSeal): boolean {
  const [text, seal] = ending.exec(json) ?? [];
  if (text === undefined) return false;
  const unsealed = `${json.slice(0, -text.length)}}`;
  return of.seals.check(sealed(unsealed, of), seal).seal === 'sound';
}

/** The JSON contains the sequence number. */
function sealed(json: string, { repository_id, number }: BlockSeal): Sealed {
  return { label: 'block', parts: [String(repository_id), String(number), textSha256(json)] };
}
