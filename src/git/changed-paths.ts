import { git } from './git.ts';
import { inside } from './objects.ts';

interface Range {
  readonly from: string;
  readonly to: string;
  /** What this branch already has is nobody's change here, also if it was merged. */
  readonly base: string;
}

/**
 * The files that differ between two commits because of what was done on the branch, in order; a renamed file
 * counts with both names. `gitDir` is a mirror.
 */
export async function changedPaths(gitDir: string, { from, to, base }: Range): Promise<readonly string[]> {
  const names = ['--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const [differing, touched] = await Promise.all([
    git(['diff-tree', '-r', ...names, from, to, '--'], inside(gitDir)),
    git(
      ['log', '--format=', '--diff-merges=combined', ...names, `${from}..${to}`, `^${base}`, '--'],
      inside(gitDir),
    ),
  ]);
  const own = new Set(pathsIn(touched));
  return pathsIn(differing).filter((path) => own.has(path));
}

function pathsIn(listing: string): readonly string[] {
  return listing.split('\0').filter((path) => path !== '');
}
