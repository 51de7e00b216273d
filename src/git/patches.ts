import { posix } from 'node:path';
import type { FileChange } from '../steering/shapes/attempt-result.ts';
import { comparing, type Entry, entriesBetween, onlyThese, pathsIn } from './changed-paths.ts';
import { git, gitChunks } from './git.ts';
import { inside } from './objects.ts';

/** A diff that people and programs read. It is JSON, so its names are in snake_case. */
export interface DiffOutput {
  readonly repository: string;
  readonly files: readonly FileDiff[];
  /** It reads `3 files changed, +45, -12`. */
  readonly summary: string;
  /** The number of lines inside hunks of all listed files, including those that were cut. */
  readonly total_lines: number;
  readonly truncated: boolean;
}

interface FileDiff extends FileChange {
  /** The patch, headers included; ends in `... (truncated)` when it was cut. */
  readonly diff: string;
}

export interface DiffOptions {
  readonly repository: string;
  /** An exact path, a directory or a glob; a glob without a slash matches in every directory. */
  readonly file?: string;
  /** How many lines inside hunks to show in total; default 1,000. */
  readonly budget?: number;
}

/**
 * The changes of `head` since it branched off `base`, with patches; beyond the budget the largest are cut first.
 * Every file is always listed. `gitDir` is a mirror.
 */
export async function diffBetween(
  gitDir: string,
  { base, head }: { base: string; head: string },
  { repository, file, budget = 1_000 }: DiffOptions,
): Promise<DiffOutput> {
  const range = `${base}...${head}`;
  const entries = await entriesBetween(gitDir, range);
  const matches = file === undefined ? undefined : await matchedPaths(gitDir, range, file);
  const patches = await patchesBetween(gitDir, range, { entries, keeps: (_, nth) => nth <= budget });
  const wanted = patches.filter((_, index) => isWanted(entries[index], matches));
  const lengths = wanted.map(({ bodyLines }) => bodyLines);
  const shown = distributeLines(lengths, budget);
  const files = wanted.map((patch, index) => fileDiff(patch, shown[index] ?? 0));
  return {
    repository,
    files,
    summary: summaryOf(files),
    total_lines: lengths.reduce((sum, length) => sum + length, 0),
    truncated: lengths.some((length, index) => length > (shown[index] ?? 0)),
  };
}

/** The changed paths that match a filter, including former names; Git does the matching. */
async function matchedPaths(gitDir: string, range: string, filter: string): Promise<ReadonlySet<string>> {
  const path = posix.normalize(filter).replace(/^\/+/, '');
  if (path.startsWith('..')) return new Set();
  const specs = [`:(top,literal)${path}`, `:(top,glob)${anywhere(path)}`];
  const listing = await git(
    ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', '--end-of-options', range, '--', ...specs],
    inside(gitDir),
  );
  return new Set(pathsIn(listing));
}

function anywhere(glob: string): string {
  return glob.includes('/') ? glob : `**/${glob}`;
}

function isWanted(entry: Entry | undefined, matches: ReadonlySet<string> | undefined): boolean {
  if (entry === undefined || matches === undefined) return true;
  const { path, previous_path: previous } = entry.change;
  return matches.has(path) || (previous !== undefined && matches.has(previous));
}

/**
 * How many lines of each patch to show within the budget. The largest are cut first, but never shorter than
 * one that is not cut.
 */
function distributeLines(lengths: readonly number[], budget: number): readonly number[] {
  const smallestFirst = lengths
    .map((length, index) => ({ length, index }))
    .sort((a, b) => a.length - b.length);
  const shown = lengths.map(() => 0);
  let left = budget;
  for (const [done, { length, index }] of smallestFirst.entries()) {
    const fair = Math.floor(left / (smallestFirst.length - done));
    const lines = Math.min(length, fair);
    shown[index] = lines;
    left -= lines;
  }
  return shown;
}

function fileDiff(patch: Patch, lines: number): FileDiff {
  return { ...patch.change, diff: cutPatch(patch, lines) };
}

/** It reads `1 file changed, +2, -0`, or `No changes`. */
export function summaryOf(files: readonly FileChange[]): string {
  if (files.length === 0) return 'No changes';
  const total = (of: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[of], 0);
  const noun = files.length === 1 ? 'file' : 'files';
  return `${files.length} ${noun} changed, +${total('additions')}, -${total('deletions')}`;
}

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
  readonly change: FileChange;
  readonly lines: PatchLine[];
  bodyLines: number;
}

export interface PatchOptions {
  readonly entries: readonly Entry[];
  /**
   * Whether to keep a line, asked of each in order; `nth` says how many lines inside hunks its patch has had,
   * with this one.
   */
  readonly keeps: (text: string, nth: number, file: FileChange) => boolean;
  /** How many lines to show around what changed. */
  readonly context?: number;
  /** Only these files, as the entries are; absent: all. */
  readonly paths?: readonly string[];
  /** Longer lines are cut: a file of 100 MB may be a single line. */
  readonly lineBytes?: number;
}

/**
 * Reads the patches while Git prints them and keeps only the lines that are wanted, so that a change of a
 * hundred thousand lines does not fill the memory.
 */
export async function patchesBetween(
  gitDir: string,
  range: string,
  { entries, keeps, context = 3, paths = [], lineBytes = 10_000 }: PatchOptions,
): Promise<readonly Patch[]> {
  const readings = entries.map(({ change }): PatchReading => ({ change, lines: [], bodyLines: 0 }));
  // The nth patch belongs to the nth entry: names in patches may be quoted, so they are not compared.
  const entryIndexes = entries.flatMap(({ patches }, index) => Array.from({ length: patches }, () => index));
  let patch = -1;
  let inHunk = false;
  const options = [`--unified=${context}`, '--end-of-options', range, ...onlyThese(paths)];
  await eachLine(gitDir, { options, maxLineBytes: lineBytes }, (text) => {
    if (text.startsWith('diff --git ')) patch += 1;
    inHunk = !text.startsWith('diff --git ') && (inHunk || text.startsWith('@@ '));
    const reading = readings[entryIndexes[patch] ?? -1];
    if (reading === undefined) return;
    const line = { text, inHunk: inHunk && /^[ +-]/.test(text) };
    if (line.inHunk) reading.bodyLines += 1;
    if (keeps(text, reading.bodyLines, reading.change)) reading.lines.push(line);
  });
  if (patch + 1 !== entryIndexes.length)
    throw new Error(`read ${patch + 1} patches of ${entryIndexes.length} in ${range}`);
  return readings;
}

async function eachLine(
  gitDir: string,
  { options, maxLineBytes }: { readonly options: readonly string[]; readonly maxLineBytes: number },
  take: (line: string) => void,
): Promise<void> {
  let begun = Buffer.alloc(0);
  let bytes = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (begun.length < maxLineBytes)
      begun = Buffer.concat([begun, piece.subarray(0, maxLineBytes - begun.length)]);
  };
  await gitChunks([...comparing, '--patch', ...options], inside(gitDir), (chunk) => {
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
