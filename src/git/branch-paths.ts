import { git } from './git.ts';
import { inside } from './objects.ts';

/**
 * The files that differ since `head` branched off `base`, in order; a renamed file counts with both names. `gitDir`
 * is a mirror.
 */
export async function branchPaths(
  gitDir: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<readonly string[]> {
  const options = ['--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', '-z'];
  const range = `${base}...${head}`;
  const listing = await git(['diff', ...options, '--end-of-options', range, '--'], inside(gitDir));
  return listing.split('\0').filter((path) => path !== '');
}
