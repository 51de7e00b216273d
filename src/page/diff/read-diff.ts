import { entriesBetween } from '../../git/changed-paths.ts';
import { type Patch, type PatchOptions, patchesBetween } from '../../git/patches.ts';
import { commitsOf } from '../../runs/run/reply-context.ts';
import type { Run } from '../../runs/run/run.ts';
import type { FileChange } from '../../steering/shapes/attempt-result.ts';
import type { State } from '../../steering/state/state.ts';
import { type DiffLine, diffLines } from './patch-lines.ts';

/** The changes of a run, with as many lines as a page can show. */
export interface PageDiff {
  /** The commit that it ends with. */
  readonly head: string;
  /** Every changed file, in the order of their paths. */
  readonly files: readonly ShownFile[];
  /** What it should begin with is no longer there, so it begins where the branch left its base. */
  readonly isStartGone?: true;
}

export interface ShownFile extends FileChange {
  /** Its beginning; empty where there is no room, and where there are no lines. */
  readonly lines: readonly DiffLine[];
  /** Whether some of its lines are left out. */
  readonly isCut: boolean;
}

interface Selection {
  /** The commit to begin with; absent: where the branch left its base. */
  readonly from?: string | undefined;
  /** Only these files; absent: all. */
  readonly paths?: readonly string[];
}

/** How many rows fit a page, of all files or of one; a long line takes several. */
const maxRows = 2_000;
const maxRowsOfOne = 5_000;
/** How many lines of each file there are beside others. */
const maxLinesBesideOthers = 400;
/** Longer lines are cut. */
const lineBytes = 1_000;
/** Each line is named with the path of its file as well. */
const charactersPerRow = 200;

/**
 * Reads the changes of a run from its mirror. Those since a commit are of the files that differ from the base
 * as well: what was merged into the branch meanwhile is not its work. Throws if a branch no longer exists.
 */
export async function readDiff(run: Run, state: State, { from, paths }: Selection): Promise<PageDiff> {
  const found = await commitsOf(run, state);
  if (found === undefined) throw new Error(`could not find the branches of ${run.name}`);
  const { mirror, base, head } = found;
  const start = from === undefined ? undefined : await mirror.resolve(from);
  return mirror.reading(async () => {
    const whole = `${base}...${head}`;
    const range = start === undefined ? whole : `${start}..${head}`;
    const own = start === undefined ? undefined : await pathsIn(mirror.dir, whole);
    const isOwn = ({ path, previous_path = path }: FileChange) =>
      own === undefined || own.has(path) || own.has(previous_path);
    const entries = await entriesBetween(mirror.dir, range, paths);
    const keeps =
      paths === undefined ? within(maxRows, maxLinesBesideOthers) : within(maxRowsOfOne, Infinity);
    const patches = await patchesBetween(mirror.dir, range, {
      ...{ entries, lineBytes },
      ...(paths !== undefined && { paths }),
      keeps: (text, nth, file) => isOwn(file) && keeps(text, nth, file),
    });
    const files = patches.filter(({ change }) => isOwn(change)).map(shownFile);
    return { head, files, ...(from !== undefined && start === undefined && { isStartGone: true }) };
  });
}

/** Without the headers, of which a file has two where it has become a symbolic link. */
export function shownFile({ change, lines, bodyLines }: Patch): ShownFile {
  const isCut = lines.filter(({ inHunk }) => inHunk).length < bodyLines;
  const shown = lines.filter(({ text, inHunk }) => inHunk || /^(?:@@ |\\)/.test(text));
  return { ...change, lines: diffLines(shown.map(({ text }) => text)), isCut };
}

/** Every path that differs in a range, also under its former name. */
async function pathsIn(gitDir: string, range: string): Promise<ReadonlySet<string>> {
  const entries = await entriesBetween(gitDir, range);
  return new Set(entries.flatMap(({ change: { path, previous_path = path } }) => [path, previous_path]));
}

/** Keeps lines as long as there is room, in their order, and not the headers of files. */
function within(rows: number, linesPerFile: number): PatchOptions['keeps'] {
  let left = rows;
  return (text, nth, { path }) => {
    if (left <= 0 || nth > linesPerFile || (nth === 0 && !text.startsWith('@@ '))) return false;
    left -= Math.ceil((text.length + path.length) / charactersPerRow);
    return true;
  };
}
