import type { FileChange, FileDiff } from '../steering/shapes/attempt-result.ts';
import { comparing, entriesBetween, onlyThese } from './changed-paths.ts';
import { gitChunks } from './git.ts';
import { inside } from './objects.ts';
import { cutPatch, type Patch, patchesBetween } from './patches.ts';

/** The diff of one file as text, also if Git takes the file for binary. */
interface TextDiff {
  readonly path: string;
  readonly text: string;
  /** There is more than was read. */
  readonly cut: boolean;
}

/** It is a multiple of `atOnce`. */
const maxFiles = 2_000;
/** Each is a Git of its own, which mostly starts and ends. */
const atOnce = 8;
const maxBytesPerFile = 1024 * 1024;
const maxBytesInAll = 32 * 1024 * 1024;

/** Of a renamed file also the former name, unless it is to count as new. */
type NamedFile = Pick<FileChange, 'path' | 'previous_path'>;

/**
 * Reads the diffs of these files in `base...head`, in their order, with this many lines around what changed.
 * What is beyond a limit is marked as cut, never left out.
 */
async function textDiffs(
  gitDir: string,
  range: string,
  files: readonly NamedFile[],
  context: number,
): Promise<readonly TextDiff[]> {
  const read: TextDiff[] = [];
  let left = maxBytesInAll;
  for (let first = 0; first < files.length; first += atOnce) {
    const budget = first < maxFiles ? Math.min(maxBytesPerFile, Math.floor(left / atOnce)) : 0;
    const some = files.slice(first, first + atOnce);
    const options = [`--unified=${context}`, '--end-of-options', range];
    const diffs = await Promise.all(some.map((file) => diffOf(gitDir, file, options, budget)));
    for (const { bytes, ...diff } of diffs) {
      left -= bytes;
      read.push(diff);
    }
  }
  return read;
}

/** One file at a time: its path is ours, so nothing has to be parsed out of a header that an agent shaped. */
async function diffOf(
  gitDir: string,
  { path, previous_path }: NamedFile,
  options: readonly string[],
  budget: number,
): Promise<TextDiff & { readonly bytes: number }> {
  if (budget === 0) return { path, text: '', cut: true, bytes: 0 };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const names = previous_path === undefined ? [path] : [path, previous_path];
  const renames = previous_path === undefined ? ['--no-renames'] : [];
  const command = [...comparing, ...renames, '--text', ...options, ...onlyThese(names)];
  await gitChunks(command, inside(gitDir), (chunk) => {
    if (bytes < budget) chunks.push(chunk.subarray(0, budget - bytes));
    bytes += chunk.length;
  });
  const text = String(Buffer.concat(chunks));
  return { path, text, cut: bytes > budget, bytes: Math.min(bytes, budget) };
}

interface AddedLine {
  /** It counts from 1 in the new file. */
  readonly number: number;
  readonly text: string;
}

/**
 * The lines that a diff adds to these files. A renamed file counts as new, so that all of its lines are read:
 * moving a file can make it run. What is beyond a limit is marked as cut, never left out silently, and so is
 * a file of which Git shows no lines because it takes it for binary.
 */
export async function addedLines(gitDir: string, range: string, paths: readonly string[]) {
  const files = paths.map((path) => ({ path }));
  const diffs = await textDiffs(gitDir, range, files, 0);
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

/** Enough to see the function or the section that a line is in. */
const context = 25;
const maxLinesPerFile = 50_000;
const maxBytesOfBodies = 16 * 1024 * 1024;

/**
 * What `head` changed since it branched off `base` (`range` is `base...head`), with bodies for programs that
 * read them. A body that is not whole ends in `... (truncated)`. Files that Git takes for binary have one only
 * if `isText` says that they may be read all the same: a script with one odd byte is a script.
 */
export async function bodiesBetween(
  gitDir: string,
  range: string,
  isText: (path: string) => boolean,
): Promise<readonly FileDiff[]> {
  const entries = await entriesBetween(gitDir, range);
  let left = maxBytesOfBodies;
  const keeps = ({ length }: string, nth: number): boolean => {
    left -= length + 1;
    // The headers of a file say more than that it is there.
    return nth === 0 || (left >= 0 && nth <= maxLinesPerFile);
  };
  const patches = await patchesBetween(gitDir, range, { entries, keeps, context });
  const odd = patches.filter(
    ({ change }) => change.binary && change.status !== 'deleted' && isText(change.path),
  );
  const files = odd.map(({ change }) => change);
  const diffs = await textDiffs(gitDir, range, files, context);
  const texts = new Map(diffs.map((diff) => [diff.path, diff]));
  return patches.map((patch) => bodyOf(patch, texts.get(patch.change.path)));
}

function bodyOf(patch: Patch, text: TextDiff | undefined): FileDiff {
  if (text !== undefined) return { ...patch.change, diff: wholeOrCut(text) };
  if (patch.change.binary) return patch.change;
  const kept = patch.lines.filter(({ inHunk }) => inHunk).length;
  return { ...patch.change, diff: cutPatch(patch, kept) };
}

function wholeOrCut({ cut, text }: TextDiff): string {
  return cut ? `${text}\n... (truncated)` : text;
}
