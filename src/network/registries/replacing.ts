import { Transform } from 'node:stream';

/** Bytes to look for, and what stands there instead. */
export interface Replacement {
  readonly find: Buffer;
  readonly put: Buffer;
}

/** Replaces bytes in a stream, also where they arrive in pieces. Holds back less than the longest of them. */
export function replacing(replacements: readonly Replacement[]): Transform {
  const held = Math.max(0, ...replacements.map(({ find }) => find.length - 1));
  let rest: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const { ready, used } = replaced(bytes, Math.max(0, bytes.length - held), replacements);
      rest = bytes.subarray(used);
      done(null, ready);
    },
    flush(done) {
      done(null, replaced(rest, rest.length, replacements).ready);
    },
  });
}

/** The bytes with what begins before `end` replaced, and how many of them that takes. */
function replaced(bytes: Buffer, end: number, replacements: readonly Replacement[]) {
  // Each is looked for from where it was found last, so the bytes are read once for each.
  const searches = replacements.map((each) => ({ ...each, at: bytes.indexOf(each.find) }));
  const parts: Buffer[] = [];
  let used = 0;
  for (;;) {
    const ahead = searches.filter(({ at }) => at !== -1 && at < end);
    const [first, ...others] = ahead;
    if (first === undefined) break;
    const next = others.reduce((one, other) => (other.at < one.at ? other : one), first);
    parts.push(bytes.subarray(used, next.at), next.put);
    used = next.at + next.find.length;
    for (const each of ahead) if (each.at < used) each.at = bytes.indexOf(each.find, used);
  }
  const to = Math.max(used, end);
  return { ready: Buffer.concat([...parts, bytes.subarray(used, to)]), used: to };
}
