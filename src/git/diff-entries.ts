import type { FileChange } from '../steering/shapes/attempt-result.ts';
import { git } from './git.ts';
import { inside } from './objects.ts';

/** One changed file, in the order in which Git prints the patches. */
export interface Entry {
  readonly change: FileChange;
  /** Git prints a change of type (file to symbolic link) as two patches: a deletion and an addition. */
  readonly patches: 1 | 2;
}

/** Options of every comparison: detects renames, runs none of the repository's programs. */
export const comparing: readonly string[] = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--submodule=short',
  '--ignore-submodules=none',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--diff-algorithm=myers',
  '--unified=3',
];

/** `base...head`: the changes of `head` since it branched off `base`. */
export async function entriesBetween(gitDir: string, range: string): Promise<readonly Entry[]> {
  const listing = await git(
    [...comparing, '--raw', '--numstat', '-z', '--end-of-options', range, '--'],
    inside(gitDir),
  );
  const fields = listing.split('\0');
  const raw = rawFields(fields);
  return raw.map((entry) => {
    const counts = countsIn(fields);
    return { change: changeOf(entry, counts), patches: entry.letter === 'T' ? 2 : 1 };
  });
}

interface Raw {
  readonly letter: string;
  readonly path: string;
  readonly previous: string | undefined;
}

/**
 * Removes the raw fields from the front: `:<modes and ids> <letter><score>`, path, and a rename's new path.
 */
function rawFields(fields: string[]): readonly Raw[] {
  const found: Raw[] = [];
  while (fields[0]?.startsWith(':')) {
    const letter = fields.shift()?.split(' ').at(-1)?.[0] ?? '';
    const first = fields.shift() ?? '';
    const second = letter === 'R' || letter === 'C' ? fields.shift() : undefined;
    found.push({ letter, path: second ?? first, previous: second === undefined ? undefined : first });
  }
  return found;
}

interface Counts {
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

/** Numstat fields: `<added>\t<deleted>\t<path>`; for a rename the path is empty and both paths follow. */
function countsIn(fields: string[]): Counts {
  const [added = '', deleted = '', path = ''] = fields.shift()?.split('\t') ?? [];
  if (path === '') fields.splice(0, 2);
  return { additions: Number(added) || 0, deletions: Number(deleted) || 0, binary: added === '-' };
}

function changeOf(raw: Raw, { additions, deletions, binary }: Counts): FileChange {
  return {
    path: raw.path,
    ...(raw.previous !== undefined && { previous_path: raw.previous }),
    status: statusOf(raw.letter),
    additions,
    deletions,
    ...(binary && { binary: true as const }),
  };
}

function statusOf(letter: string): FileChange['status'] {
  if (letter === 'A' || letter === 'C') return 'added';
  if (letter === 'D') return 'deleted';
  return letter === 'R' ? 'renamed' : 'modified';
}
