import { textDiffs } from './text-diffs.ts';

/** What a diff adds to one file. */
export interface AddedLines {
  readonly path: string;
  readonly lines: readonly AddedLine[];
  /** There is more than was read, or Git shows no lines because it takes the file for binary. */
  readonly cut: boolean;
}

export interface AddedLine {
  /** In the new file, counted from 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * The lines that a diff adds to these files. A renamed file counts as new, so that all of its lines are read:
 * moving a file can make it run. What is beyond a limit is marked as cut, never left out silently.
 */
export async function addedLines(
  gitDir: string,
  range: string,
  paths: readonly string[],
): Promise<readonly AddedLines[]> {
  const files = paths.map((path) => ({ path }));
  const diffs = await textDiffs(gitDir, { range, files, context: 0 });
  return diffs.map(({ path, text, cut }) => ({ path, lines: linesIn(text), cut }));
}

function linesIn(patch: string): readonly AddedLine[] {
  const lines: AddedLine[] = [];
  let number = 0;
  let inHunk = false;
  for (const line of patch.split('\n')) {
    const start = /^@@ -\S+ \+(\d+)(?:,\d+)? @@/.exec(line);
    if (start?.[1] !== undefined) {
      number = Number(start[1]);
      inHunk = true;
    } else if (inHunk && line.startsWith('+')) {
      lines.push({ number, text: line.slice(1) });
      number += 1;
    }
  }
  return lines;
}
