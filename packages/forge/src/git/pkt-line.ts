/** Git's pkt-line format: four hexadecimal digits of length, then the content; `0000` is a flush packet. */
export function packet(content: string | Buffer): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const length = (body.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(length), body]);
}

export const flush = Buffer.from('0000');

/** The packets up to the first flush, and the offset after it; undefined if the buffer is incomplete. */
export function packetsUntilFlush(buffer: Buffer): { packets: Buffer[]; end: number } | undefined {
  const packets: Buffer[] = [];
  let at = 0;
  while (at + 4 <= buffer.length) {
    const length = Number.parseInt(buffer.toString('latin1', at, at + 4), 16);
    if (length === 0) return { packets, end: at + 4 };
    if (Number.isNaN(length) || length < 4) return undefined;
    if (at + length > buffer.length) return undefined;
    packets.push(buffer.subarray(at + 4, at + length));
    at += length;
  }
  return undefined;
}

/** Splits content into side-band packets, which hold at most 65,515 bytes each. */
export function sideband(band: 1 | 2, content: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += 60_000) {
    pieces.push(packet(Buffer.concat([Buffer.from([band]), content.subarray(at, at + 60_000)])));
  }
  return Buffer.concat(pieces);
}
