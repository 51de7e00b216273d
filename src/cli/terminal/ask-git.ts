import { GitError, git } from '../../git/git.ts';

/** What Git answers in a folder, trimmed; undefined where it refuses. Throws if it cannot be asked. */
export async function askGit(folder: string, command: readonly string[]): Promise<string | undefined> {
  try {
    return (await git(command, { cwd: folder })).trim();
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode !== null) return undefined;
    throw fault;
  }
}
