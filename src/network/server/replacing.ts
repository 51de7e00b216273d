/** A text to look for, and what stands there instead. */
export type Replacement = readonly [find: string, put: string];

/**
 * Replaces texts in a stream of bytes, also where they arrive in pieces: what could become one at the end of
 * a piece waits for the next. What is put must contain none of the others.
 */
export function replacing(replacements: readonly Replacement[]) {
  let held = '';
  return {
    /** What can be sent on now. */
    write(chunk: Buffer): Buffer {
      // As bytes: a character of several may be in two pieces.
      const text = held + chunk.toString('latin1');
      const all = replacements.reduce((rest, [find, put]) => rest.replaceAll(find, () => put), text);
      const kept = Math.max(0, ...replacements.map(([find]) => beginningAtEnd(all, find)));
      held = all.slice(all.length - kept);
      return Buffer.from(all.slice(0, all.length - kept), 'latin1');
    },
    /** What was held back. */
    end: (): Buffer => Buffer.from(held, 'latin1'),
  };
}

/** How much at the end is the beginning of what is looked for. */
function beginningAtEnd(text: string, find: string): number {
  for (let length = Math.min(find.length - 1, text.length); length > 0; length--)
    if (text.endsWith(find.slice(0, length))) return length;
  return 0;
}
