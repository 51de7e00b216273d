import { createHash, randomBytes } from 'node:crypto';

/** A key with which the App seals what it writes where others can write too, or what browsers keep for it. */
export interface SealKey {
  readonly id: string;
  /** It has 32 bytes. */
  readonly secret: Buffer;
  /** `retired`: only the ledgers of ended runs are still read with it. */
  readonly use: 'all' | 'retired';
}

/** The keys that an App has, and those that it has lost. */
export interface SealKeys {
  /** Seals; it is one of `known`. */
  readonly current: SealKey;
  readonly known: readonly SealKey[];
  /** The ids of keys that are lost or leaked: what they sealed no longer counts. */
  readonly lost: readonly string[];
}

/** The text is not a list of keys; the message says what was expected, and repeats no key. */
export class SealKeyError extends Error {
  override name = 'SealKeyError';
}

/** What `coxswain key` prints before the keys, such as `COXSWAIN_LEDGER_KEY=`; people paste all of it. */
const wholeLine = /^\s*(?<name>COXSWAIN_[A-Z_]+=)/;
const secretBytes = 32;
const idForm = '[A-Za-z0-9][A-Za-z0-9_.]{0,31}';
const entry = new RegExp(`^(?<mark>[-!]?)(?<id>${idForm})(?::(?<secret>[A-Za-z0-9+/]+={0,2}))?$`);
/** The form of ids that are derived from their keys; an operator may choose any other. */
const derived = /^k[0-9a-f]{8}$/;
const expected = 'expected `id:base64`, as `coxswain key` prints it, separated by commas';

/**
 * Reads `id:base64[,id:base64…]`: the first key seals, all of them are accepted. `-id:base64` is accepted
 * only for ended runs, and `!id` names a lost key. Throws `SealKeyError`.
 */
export function parseSealKeys(text: string): SealKeys {
  const { name } = wholeLine.exec(text)?.groups ?? {};
  if (name !== undefined)
    throw new SealKeyError(`the value itself begins with ${name}: give only what follows it`);
  const entries = text.split(',').map((each) => each.trim());
  const read = entries.map((each, index) => readEntry(each, index + 1));
  const known = read.flatMap(({ key }) => key ?? []);
  const lost = read.flatMap(({ id, key }) => (key === undefined ? [id] : []));
  const ids = read.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) throw new SealKeyError(`the key ${twice} is given twice`);
  const [current] = known;
  if (current === undefined || read[0]?.key === undefined || current.use === 'retired') {
    throw new SealKeyError(`the first key must be one to seal with: ${expected}`);
  }
  return { current, known, lost };
}

/** Whether a key can have this id. */
export function isKeyId(text: string): boolean {
  return new RegExp(`^${idForm}$`).test(text);
}

/** A new key as `parseSealKeys` reads it. */
export function newSealKey(): string {
  const secret = randomBytes(secretBytes);
  return `${idOf(secret)}:${secret.toString('base64')}`;
}

/**
 * Derived from the key, so that two keys never share an id, and a key that was mistyped does not make what
 * was sealed look forged.
 */
function idOf(secret: Buffer): string {
  return `k${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`;
}

/** What must not appear in any text: the secrets as they are written in the setting. */
export function secretsOf({ known }: SealKeys): readonly string[] {
  return known.map(({ secret }) => secret.toString('base64'));
}

function readEntry(text: string, position: number): { readonly id: string; readonly key?: SealKey } {
  const { mark, id, secret: base64 } = entry.exec(text)?.groups ?? {};
  if (id === undefined || (mark === '!') !== (base64 === undefined)) {
    throw new SealKeyError(`entry ${position} is not a key: ${expected}`);
  }
  if (base64 === undefined) return { id };
  const secret = Buffer.from(base64, 'base64');
  if (secret.length !== secretBytes) {
    throw new SealKeyError(`the key ${id} has ${secret.length} bytes, expected ${secretBytes}`);
  }
  if (derived.test(id) && id !== idOf(secret))
    throw new SealKeyError(`the key ${id} does not match its id: it was mistyped`);
  return { id, key: { id, secret, use: mark === '-' ? 'retired' : 'all' } };
}
