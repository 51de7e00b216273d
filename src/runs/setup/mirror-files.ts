import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror.ts';
import { inside, sizesOf } from '../../git/objects.ts';
import type { RepositoryFiles } from '../../onboarding/ecosystems/ecosystem.ts';

/** Larger files say nothing about how a repository is built. */
const maxBytes = 1024 * 1024;

/** The files of a commit. */
export function filesAt(mirror: Mirror, commit: string): RepositoryFiles {
  return {
    files: async () => {
      const listed = await mirror.reading(() =>
        git(['ls-tree', '-r', '-z', '--name-only', commit], inside(mirror.dir)),
      );
      return listed.split('\0').filter((path) => path !== '');
    },
    read: async (path) => {
      const [size] = await mirror.reading(() => sizesOf(mirror.dir, [`${commit}:${path}`]));
      return size === undefined || size > maxBytes ? undefined : mirror.readFile(commit, path);
    },
  };
}
