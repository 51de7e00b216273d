import { GitError, git, isDamage } from './git.ts';
import { anyCommitFrom, inside, makeCommit, readObjects } from './objects.ts';

/**
 * The commit from which two branches went apart, as diffs between them take it; undefined if there is none.
 */
export async function mergeBase(gitDir: string, one: string, other: string): Promise<string | undefined> {
  return (await unlessRefused(git(['merge-base', one, other], inside(gitDir))))?.trim();
}

/** What Git makes of a merge: a commit, unless it cannot merge the two by itself. */
type Merge = { readonly kind: 'merged'; readonly commit: string } | { readonly kind: 'conflict' };

/**
 * The merge of a branch into its base, as a commit in the mirror to which no ref leads; nothing is checked
 * out for it. The same two give the same commit.
 */
export async function mergeOf(
  gitDir: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<Merge> {
  const at = await git(['show', '--no-patch', '--format=%ct', head, '--'], inside(gitDir));
  const message = `Merge ${head} into ${base}`;
  return mergeCommit(gitDir, { parents: [base, head], message, at: `@${at.trim()} +0000` });
}

/** A merge of ours in the mirror, of two commits that become its parents in this order. */
export async function mergeCommit(
  gitDir: string,
  made: { readonly parents: readonly [string, string]; readonly message: string; readonly at: string },
): Promise<Merge> {
  const [ours, theirs] = made.parents;
  const tree = await mergedTree(gitDir, ours, theirs);
  if (tree === undefined) return { kind: 'conflict' };
  return { kind: 'merged', commit: await makeCommit(gitDir, tree, made) };
}

/** Whether a commit is in the history of another one, or is that one; both are there. */
export async function isAncestor(gitDir: string, commit: string, of: string): Promise<boolean> {
  return (
    (await unlessRefused(git(['merge-base', '--is-ancestor', commit, of], inside(gitDir)))) !== undefined
  );
}

/** It may be a branch of many years. */
const maxPicked = 1000;

/**
 * Whether one of the newest commits of a branch says, as `git cherry-pick -x` writes, that it is this one.
 */
export async function isPickedInto(gitDir: string, commit: string, branch: string): Promise<boolean> {
  const messages = await git(
    ['log', '--format=%B', `--max-count=${maxPicked}`, branch, '--'],
    inside(gitDir),
  );
  return messages.split('\n').includes(`(cherry picked from commit ${commit})`);
}

/** How many commits lead to one that another does not have; both are there. */
export async function countCommits(
  gitDir: string,
  { after, upTo }: { readonly after: string; readonly upTo: string },
): Promise<number> {
  return Number(await git(['rev-list', '--count', `${after}..${upTo}`, '--'], inside(gitDir)));
}

/** A commit that may merely bring a branch up to date with its base. */
interface Update {
  /** The branch was here before it. */
  readonly before: string;
  readonly after: string;
  /** The ref that names the base branch. */
  readonly base: string;
}

/**
 * Whether a commit is exactly what "Update branch" makes: the merge of a commit of the base into the head
 * before it, with the tree that Git itself makes of the two. Then it contains no change of anyone's own.
 */
export async function onlyMergesBase(mirrorDir: string, { before, after, base }: Update): Promise<boolean> {
  const [commit] = await readObjects(mirrorDir, [after]);
  const made = commit && anyCommitFrom(commit.content);
  if (made === undefined) return false;
  const [first, merged, ...more] = made.parents;
  if (first !== before || merged === undefined || more.length > 0) return false;
  if (!(await isAncestor(mirrorDir, merged, base))) return false;
  return (await mergedTree(mirrorDir, first, merged)) === made.tree;
}

/** Undefined if there are conflicts. */
async function mergedTree(mirrorDir: string, one: string, other: string): Promise<string | undefined> {
  const command = ['merge-tree', '--write-tree', '--no-messages', one, other];
  return (await unlessRefused(git(command, inside(mirrorDir))))?.trim();
}

/** Git answers "no" with exit code 1, also if a part of the history is gone; anything else is an error. */
async function unlessRefused(asked: Promise<string>): Promise<string | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 1 && !isDamage(fault)) return undefined;
    throw fault;
  }
}
