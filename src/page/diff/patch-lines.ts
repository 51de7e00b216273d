/** A line of a patch as people see it. A number is absent where that version of the file has no such line. */
export interface DiffLine {
  /** `hunk` begins the next part of the file; `note` is what Git says of the line before it. */
  readonly kind: 'hunk' | 'context' | 'added' | 'removed' | 'note';
  /** As Git prints it, with its sign. */
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const kinds = { ' ': 'context', '+': 'added', '-': 'removed' } as const;

/** Numbers the lines of one patch and leaves its headers out. */
export function diffLines(texts: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  for (const text of texts) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (start !== null) {
      [before, after] = [Number(start[1]), Number(start[2])];
      lines.push({ kind: 'hunk', text });
    } else if (lines.length > 0) lines.push(numbered(text));
  }
  // What a hunk would have shown may have been cut off.
  return lines.at(-1)?.kind === 'hunk' ? lines.slice(0, -1) : lines;

  function numbered(text: string): DiffLine {
    const kind = isSign(text[0]) ? kinds[text[0]] : 'note';
    const isBefore = kind === 'context' || kind === 'removed';
    const isAfter = kind === 'context' || kind === 'added';
    return { kind, text, ...(isBefore && { before: before++ }), ...(isAfter && { after: after++ }) };
  }
}

function isSign(text: string | undefined): text is keyof typeof kinds {
  return text !== undefined && text in kinds;
}
