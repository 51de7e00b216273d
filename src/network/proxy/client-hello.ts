/** What the beginning of a connection says about the host that is meant. */
export type Opening =
  /** Not enough to tell. */
  | { readonly kind: 'incomplete' }
  /** Something else than TLS. */
  | { readonly kind: 'other' }
  /** It begins like TLS, but nobody greets like this. */
  | { readonly kind: 'odd' }
  /** The names of hosts in it; `hidden` says that another one may be encrypted in it. */
  | { readonly kind: 'tls'; readonly hosts: readonly string[]; readonly hidden: boolean };

export const odd: Opening = { kind: 'odd' };
const incomplete: Opening = { kind: 'incomplete' };

/**
 * Reads the ClientHello of TLS (RFC 8446, 4.1.2) without decrypting anything. It may come in several records;
 * one in more than 64 of them, or of more than 32 KB, is none.
 */
export function openingOf(bytes: Buffer): Opening {
  const parts: Buffer[] = [];
  let length = 0;
  // A record of a handshake, of any version since SSL 3.
  if ((bytes[0] ?? handshake) !== handshake || (bytes[1] ?? 3) !== 3) return { kind: 'other' };
  for (let at = 0; ; ) {
    const header = bytes.subarray(at, at + 5);
    if ((header[0] ?? handshake) !== handshake || (header[1] ?? 3) !== 3) return odd;
    if (parts.length > maxRecords || bytes.length > maxBytes) return odd;
    if (header.length < 5) return incomplete;
    const part = bytes.subarray(at + 5, at + 5 + header.readUInt16BE(3));
    if (header.readUInt16BE(3) === 0 || (at === 0 && (part[0] ?? clientHello) !== clientHello)) return odd;
    parts.push(part);
    length += part.length;
    const start = Buffer.concat(parts.slice(0, 4).map((each) => each.subarray(0, 4)));
    if (start.length >= 4 && length >= 4 + start.readUIntBE(1, 3)) return read(Buffer.concat(parts));
    at += 5 + header.readUInt16BE(3);
    if (at > bytes.length) return incomplete;
  }
}

const handshake = 0x16;
const clientHello = 1;
const maxRecords = 64;
const maxBytes = 32_768;

function read(hello: Buffer): Opening {
  try {
    // Its version and random bytes stand in front of what has a length.
    const fields = new Fields(hello.subarray(4, 4 + hello.readUIntBE(1, 3)), 34);
    fields.next(1);
    fields.next(2);
    fields.next(1);
    return extensionsOf(new Fields(fields.next(2)));
  } catch (fault) {
    if (fault instanceof RangeError) return odd;
    throw fault;
  }
}

const serverName = 0;
const encryptedClientHello = 0xfe0d;

function extensionsOf(extensions: Fields): Opening {
  const hosts: string[] = [];
  let hidden = false;
  while (extensions.left) {
    const type = extensions.number(2);
    const content = extensions.next(2);
    if (type === encryptedClientHello) hidden = true;
    if (type === serverName) hosts.push(...hostsOf(new Fields(new Fields(content).next(2))));
  }
  return { kind: 'tls', hosts, hidden };
}

function* hostsOf(names: Fields): Generator<string> {
  while (names.left) {
    names.number(1);
    yield names.next(2).toString('latin1').toLowerCase().replace(/\.$/, '');
  }
}

/** Reads numbers, and what has its length in front of it. Throws a RangeError behind the end. */
class Fields {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get left(): boolean {
    return this.#at < this.#bytes.length;
  }

  number(size: number): number {
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  next(sizeOfLength: number): Buffer {
    const length = this.number(sizeOfLength);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a length leads behind the end');
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return content;
  }
}
