import { comparing } from './diff-entries.ts';
import { gitChunks } from './git.ts';
import { inside } from './objects.ts';

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

/** A multiple of `atOnce`. */
const maxFiles = 2_000;
/** Each is a Git of its own, which mostly starts and ends. */
const atOnce = 8;
const maxBytesPerFile = 1024 * 1024;
const maxBytesInAll = 32 * 1024 * 1024;

/**
 * The lines that a diff adds to these files. A renamed file counts as new, so that all of its lines are read:
 * moving a file can make it run. What is beyond a limit is marked as cut, never left out silently.
 */
export async function addedLines(
  gitDir: string,
  range: string,
  paths: readonly string[],
): Promise<readonly AddedLines[]> {
  const read: AddedLines[] = [];
  let left = maxBytesInAll;
  for (let first = 0; first < paths.length; first += atOnce) {
    const budget = first < maxFiles ? Math.min(maxBytesPerFile, Math.floor(left / atOnce)) : 0;
    const some = paths.slice(first, first + atOnce);
    const added = await Promise.all(some.map((path) => addedTo(gitDir, { range, path, budget })));
    for (const { bytes, ...lines } of added) {
      left -= bytes;
      read.push(lines);
    }
  }
  return read;
}

interface Wanted {
  readonly range: string;
  readonly path: string;
  readonly budget: number;
}

interface Reading extends AddedLines {
  readonly bytes: number;
}

/** One file at a time: its path is ours, so nothing has to be parsed out of a header that an agent shaped. */
async function addedTo(gitDir: string, { range, path, budget }: Wanted): Promise<Reading> {
  if (budget === 0) return { path, lines: [], cut: true, bytes: 0 };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const command = [...comparing, '--no-renames', '--text', '--unified=0', '--end-of-options', range];
  const onlyThis = ['--', `:(top,literal)${path}`];
  await gitChunks([...command, ...onlyThis], inside(gitDir), (chunk) => {
    if (bytes < budget) chunks.push(chunk.subarray(0, budget - bytes));
    bytes += chunk.length;
  });
  return {
    path,
    lines: linesIn(String(Buffer.concat(chunks))),
    cut: bytes > budget,
    bytes: Math.min(bytes, budget),
  };
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
