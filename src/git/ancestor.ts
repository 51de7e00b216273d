import { GitError, git } from './git.ts';
import { inside } from './objects.ts';

/** Whether a commit is in the history of another one, or is that one; both are there. */
export async function isAncestor(gitDir: string, commit: string, of: string): Promise<boolean> {
  try {
    await git(['merge-base', '--is-ancestor', commit, of], inside(gitDir));
    return true;
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 1) return false;
    throw fault;
  }
}

/** How many commits lead to one that another does not have; both are there. */
export async function countCommits(
  gitDir: string,
  { after, upTo }: { readonly after: string; readonly upTo: string },
): Promise<number> {
  return Number(await git(['rev-list', '--count', `${after}..${upTo}`, '--'], inside(gitDir)));
}
