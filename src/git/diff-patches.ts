import type { FileChange } from '../steering/shapes/attempt-result.ts';
import { comparing, type Entry } from './diff-entries.ts';
import { gitChunks } from './git.ts';
import { inside } from './objects.ts';

export interface Patch {
  readonly change: FileChange;
  /** The lines that were kept; only those with `inHunk` count. */
  readonly lines: readonly PatchLine[];
  /** The number of lines inside hunks, kept or not. */
  readonly bodyLines: number;
}

interface PatchLine {
  readonly text: string;
  readonly inHunk: boolean;
}

interface PatchReading {
  readonly lines: PatchLine[];
  bodyLines: number;
}

interface PatchOptions {
  readonly entries: readonly Entry[];
  /** How many counted lines of each patch to keep. */
  readonly keep: number;
  /** How many bytes to keep in all, about. */
  readonly bytes?: number;
  /** How many lines to show around what changed. */
  readonly context?: number;
}

/**
 * Reads the patches while Git prints them and keeps at most `keep` counted lines of each, so that a change of
 * a hundred thousand lines does not fill the memory.
 */
export async function patchesBetween(
  gitDir: string,
  range: string,
  { entries, keep, bytes = Infinity, context = 3 }: PatchOptions,
): Promise<readonly Patch[]> {
  const readings = entries.map((): PatchReading => ({ lines: [], bodyLines: 0 }));
  // The nth patch belongs to the nth entry: names in patches may be quoted, so they are not compared.
  const entryIndexes = entries.flatMap(({ patches }, index) => Array.from({ length: patches }, () => index));
  let patch = -1;
  let inHunk = false;
  let left = bytes;
  await eachLine(gitDir, [`--unified=${context}`, '--end-of-options', range], (text) => {
    if (text.startsWith('diff --git ')) patch += 1;
    inHunk = !text.startsWith('diff --git ') && (inHunk || text.startsWith('@@ '));
    const reading = readings[entryIndexes[patch] ?? -1];
    left -= text.length + 1;
    if (reading) take(reading, { text, inHunk: inHunk && /^[ +-]/.test(text) }, left < 0 ? 0 : keep);
  });
  if (patch + 1 !== entryIndexes.length)
    throw new Error(`read ${patch + 1} patches of ${entryIndexes.length} in ${range}`);
  return readings.map((reading, index) => ({ change: changeAt(entries, index), ...reading }));
}

function changeAt(entries: readonly Entry[], index: number): FileChange {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`there is no entry ${index}`);
  return entry.change;
}

function take(reading: PatchReading, line: PatchLine, keep: number): void {
  if (line.inHunk) reading.bodyLines += 1;
  if (reading.bodyLines <= keep) reading.lines.push(line);
}

/** Longer lines are cut: a file of 100 MB may be a single line. */
const maxLineBytes = 10_000;

async function eachLine(
  gitDir: string,
  options: readonly string[],
  take: (line: string) => void,
): Promise<void> {
  let begun = Buffer.alloc(0);
  let bytes = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (begun.length < maxLineBytes)
      begun = Buffer.concat([begun, piece.subarray(0, maxLineBytes - begun.length)]);
  };
  await gitChunks([...comparing, '--patch', ...options, '--'], inside(gitDir), (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      take(bytes > maxLineBytes ? `${begun}... (${bytes - maxLineBytes} more bytes)` : String(begun));
      [begun, bytes] = [Buffer.alloc(0), 0];
      from = end + 1;
    }
    add(chunk.subarray(from));
  });
}

/** A patch with at most `counted` counted lines; ends in `... (truncated)` when some are missing. */
export function cutPatch({ lines, bodyLines }: Patch, counted: number): string {
  if (bodyLines <= counted) return lines.map(({ text }) => text).join('\n');
  let left = counted;
  const end = lines.findIndex(({ text, inHunk }) =>
    inHunk ? left-- === 0 : left === 0 && text.startsWith('@@ '),
  );
  const shown = end === -1 ? lines : lines.slice(0, end);
  return [...shown.map(({ text }) => text), '... (truncated)'].join('\n');
}
