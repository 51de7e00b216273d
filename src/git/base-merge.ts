import { GitError, git } from './git.ts';
import { inside, readObjects } from './objects.ts';

/** A commit that may merely bring a branch up to date with its base. */
export interface Update {
  /** The head of the branch before it. */
  readonly before: string;
  readonly after: string;
  /** The ref of the base branch. */
  readonly base: string;
}

/**
 * Whether a commit is exactly what "Update branch" makes: the merge of a commit of the base into the head
 * before it, with the tree that Git itself makes of the two. Then it contains no change of anyone's own.
 */
export async function onlyMergesBase(mirrorDir: string, { before, after, base }: Update): Promise<boolean> {
  const [commit] = await readObjects(mirrorDir, [after]);
  if (commit?.type !== 'commit') return false;
  const { tree, parents } = headersOf(commit.content);
  const [first, merged, ...more] = parents;
  if (first !== before || merged === undefined || more.length > 0) return false;
  if (!(await isAncestor(mirrorDir, merged, base))) return false;
  return (await mergedTree(mirrorDir, first, merged)) === tree;
}

function headersOf(commit: string): { tree: string | undefined; parents: readonly string[] } {
  const headers = commit.split('\n\n', 1)[0] ?? '';
  const values = (name: string) =>
    [...headers.matchAll(new RegExp(`^${name} ([0-9a-f]{40,64})$`, 'gm'))].map(([, sha = '']) => sha);
  return { tree: values('tree')[0], parents: values('parent') };
}

async function isAncestor(mirrorDir: string, commit: string, ref: string): Promise<boolean> {
  return (
    (await unlessRefused(git(['merge-base', '--is-ancestor', commit, ref], inside(mirrorDir)))) !== undefined
  );
}

/** Undefined if there are conflicts. */
async function mergedTree(mirrorDir: string, one: string, other: string): Promise<string | undefined> {
  const command = ['merge-tree', '--write-tree', '--no-messages', one, other];
  return (await unlessRefused(git(command, inside(mirrorDir))))?.trim();
}

/** Git answers "no" with exit code 1; anything else is an error. */
async function unlessRefused(asked: Promise<string>): Promise<string | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 1) return undefined;
    throw fault;
  }
}
