import type { FileDiff } from '../steering/attempt-result.ts';
import { entriesBetween } from './diff-entries.ts';
import { cutPatch, type Patch, patchesBetween } from './diff-patches.ts';
import { type TextDiff, textDiffs } from './text-diffs.ts';

/** Enough to see the function or the section that a line is in. */
const context = 25;
const maxLinesPerFile = 50_000;
const maxBytesInAll = 16 * 1024 * 1024;

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
  const options = { entries, keep: maxLinesPerFile, bytes: maxBytesInAll, context };
  const patches = await patchesBetween(gitDir, range, options);
  const odd = patches.filter(
    ({ change }) => change.binary && change.status !== 'deleted' && isText(change.path),
  );
  const files = odd.map(({ change }) => change);
  const diffs = await textDiffs(gitDir, { range, files, context });
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
