import { Transform } from 'node:stream';

/** A text to look for, and what stands there instead. */
export type Replacement = readonly [find: string, put: string];

/**
 * Replaces texts in a stream, also where they arrive in pieces: the end of what has come, as long as the
 * longest of them, waits for what follows it. What is put must contain none of the others.
 */
export function replacing(replacements: readonly Replacement[]): Transform {
  const longest = Math.max(1, ...replacements.map(([find]) => find.length));
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _, done) {
      // As bytes: a character of several may be in two pieces.
      const text = replaced(rest + chunk.toString('latin1'), replacements);
      const ready = Math.max(0, text.length - longest + 1);
      rest = text.slice(ready);
      done(null, Buffer.from(text.slice(0, ready), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(rest, 'latin1'));
    },
  });
}

function replaced(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((all, [find, put]) => all.replaceAll(find, () => put), text);
}
