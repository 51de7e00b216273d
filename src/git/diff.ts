import { posix } from 'node:path';
import type { FileChange } from '../steering/shapes/attempt-result.ts';
import { pathsIn } from './changed-paths.ts';
import { type Entry, entriesBetween } from './diff-entries.ts';
import { cutPatch, type Patch, patchesBetween } from './diff-patches.ts';
import { git } from './git.ts';
import { inside } from './objects.ts';

/** A diff for people and programs. JSON, so snake_case. */
export interface DiffOutput {
  readonly repository: string;
  readonly files: readonly FileDiff[];
  /** `3 files changed, +45, -12` */
  readonly summary: string;
  /** The number of lines inside hunks of all listed files, including those that were cut. */
  readonly total_lines: number;
  readonly truncated: boolean;
}

/** One file of a diff. */
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
  const patches = await patchesBetween(gitDir, range, { entries, keep: budget });
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

/** `1 file changed, +2, -0`, or `No changes`. */
export function summaryOf(files: readonly FileChange[]): string {
  if (files.length === 0) return 'No changes';
  const total = (of: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[of], 0);
  const noun = files.length === 1 ? 'file' : 'files';
  return `${files.length} ${noun} changed, +${total('additions')}, -${total('deletions')}`;
}
