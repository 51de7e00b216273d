import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SealKey, SealKeys } from './seal-keys.ts';

/**
 * What is sealed: a list of texts, which together say everything that the seal is to prove. The label keeps
 * the seal of one kind of thing from counting for another.
 */
export interface Sealed {
  readonly label: 'ledger' | 'block' | 'claim' | 'setup' | 'outcome' | 'said';
  readonly parts: readonly string[];
  /** Of a run that has ended: retired keys are accepted as well. */
  readonly ended?: boolean;
}

/**
 * `unknown`: sealed with a key we do not have, perhaps by a process that was given a new one first.
 * `retired`: right, but of a run that has not ended, so the key was perhaps retired too early. `lost`: names a
 * lost key, with which anybody may have sealed it.
 */
type SealCheck =
  | { readonly seal: 'sound' | 'unknown' | 'retired' | 'lost'; readonly key: string }
  | { readonly seal: 'missing' | 'forged' };

/** Proves that this App wrote something where others can write too. */
export interface Seals {
  /** The id of the key that seals. */
  readonly current: string;
  /** It reads `v1 <key id> <mac>`. */
  seal(sealed: Sealed): string;
  check(sealed: Sealed, seal: string | undefined): SealCheck;
}

export function openSeals({ current, known, lost }: SealKeys): Seals {
  return {
    current: current.id,
    seal: (sealed) => `${version} ${current.id} ${macOf(sealed, current)}`,
    check: (sealed, seal) => {
      if (seal === undefined) return { seal: 'missing' };
      const [format = '', id = '', mac = '', ...rest] = seal.split(' ');
      if (format !== version) return { seal: 'unknown', key: format };
      const key = known.find((each) => each.id === id);
      if (rest.length > 0) return { seal: 'forged' };
      if (lost.includes(id)) return { seal: 'lost', key: id };
      if (key === undefined) return { seal: 'unknown', key: id };
      if (!isEqual(mac, macOf(sealed, key))) return { seal: 'forged' };
      const isRetired = key.use === 'retired' && sealed.ended !== true;
      return { seal: isRetired ? 'retired' : 'sound', key: id };
    },
  };
}

const version = 'v1';

/** HMAC-SHA256 over a JSON array, in which no two lists of texts look alike. */
function macOf({ label, parts }: Sealed, { secret }: SealKey): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([label, ...parts]))
    .digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
