import { posix } from 'node:path';
import { git } from './git.ts';
import { inside } from './objects.ts';

/** The changed paths that a filter names, former names included; Git itself does the matching. */
export async function matchedPaths(
  gitDir: string,
  range: string,
  filter: string,
): Promise<ReadonlySet<string>> {
  const path = posix.normalize(filter).replace(/^\/+/, '');
  if (path.startsWith('..')) return new Set();
  const specs = [`:(top,literal)${path}`, `:(top,glob)${anywhere(path)}`];
  const listing = await git(
    ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', '--end-of-options', range, '--', ...specs],
    inside(gitDir),
  );
  return new Set(listing.split('\0').filter((name) => name !== ''));
}

function anywhere(glob: string): string {
  return glob.includes('/') ? glob : `**/${glob}`;
}
