import { coxswain } from './author.ts';
import { GitError, git } from './git.ts';
import { inside } from './objects.ts';

/**
 * The commit from which two branches went apart, as diffs between them take it; undefined if there is none.
 */
export async function mergeBase(gitDir: string, one: string, other: string): Promise<string | undefined> {
  try {
    return (await git(['merge-base', one, other], inside(gitDir))).trim();
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 1) return undefined;
    throw fault;
  }
}

/** What Git makes of a merge: a commit, or the files that it cannot merge by itself. */
export type Merge =
  | { readonly kind: 'merged'; readonly commit: string }
  /** At most 20, in order. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

const maxConflicts = 20;

/**
 * The merge of a branch into its base, as a commit in the mirror to which no ref leads; nothing is checked
 * out for it. The same two give the same commit.
 */
export async function mergeOf(
  gitDir: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<Merge> {
  const command = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z'];
  const { stdout, isClean } = await answerOf(git([...command, base, head], inside(gitDir)));
  const [tree = '', ...files] = stdout.split('\0').filter((part) => part !== '');
  if (!isClean) return { kind: 'conflict', files: [...new Set(files)].slice(0, maxConflicts) };
  const message = `Merge ${head} into ${base}`;
  const parents = ['-p', base, '-p', head];
  const at = await git(['show', '--no-patch', '--format=%ct', head, '--'], inside(gitDir));
  const env = { ...inside(gitDir).env, ...identityAt(`@${at.trim()} +0000`) };
  const made = await git(['commit-tree', tree, ...parents, '-F', '-'], { env, cwd: gitDir, input: message });
  return { kind: 'merged', commit: made.trim() };
}

/** Git ends with exit code 1 if there are conflicts; anything else is an error. */
async function answerOf(asked: Promise<string>): Promise<{ stdout: string; isClean: boolean }> {
  try {
    return { stdout: await asked, isClean: true };
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 1) return { stdout: fault.stdout, isClean: false };
    throw fault;
  }
}

function identityAt(date: string): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: coxswain.name,
    GIT_AUTHOR_EMAIL: coxswain.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: coxswain.name,
    GIT_COMMITTER_EMAIL: coxswain.email,
    GIT_COMMITTER_DATE: date,
  };
}
