import { type Context, gitOf } from '../context.ts';
import { mergedTree, webIdentity } from '../git/committing.ts';
import type { PullIssue, Repository } from '../model.ts';
import { HttpError } from '../responses.ts';
import { updateRef } from './ref-updates.ts';

interface BranchMerge {
  /** The branch that gets the merge commit. */
  branch: string;
  /** The commit that is merged into it. */
  sha: string;
  message: string;
  sender_id: number;
}

/** Merges a commit into a branch: by a person, committed by GitHub. Undefined if they conflict. */
export async function mergeIntoBranch(
  context: Context,
  repository: Repository,
  { branch, sha, message, sender_id }: BranchMerge,
): Promise<string | undefined> {
  const git = gitOf(context, repository);
  const ref = `refs/heads/${branch}`;
  const before = await git.ref(ref);
  if (before === undefined) throw new HttpError(404, 'Base does not exist');
  const tree = await mergedTree(git, [before, sha]);
  if (tree === undefined) return undefined;
  const after = await git.run(['commit-tree', tree, '-p', before, '-p', sha], {
    input: `${message}\n`,
    env: webIdentity(context, sender_id),
  });
  await updateRef(context, repository, { ref, before, after, sender_id });
  return after;
}

/** The button "Update branch": merges the base into the head. */
export async function updateBranch(context: Context, issue: PullIssue, sender_id: number): Promise<void> {
  const repository = context.store.repository(issue.repository_id);
  const git = gitOf(context, repository);
  const { base_ref, head_ref, head_sha } = issue.pull;
  const sha = await git.ref(`refs/heads/${base_ref}`);
  if (sha === undefined || (await git.isAncestor(sha, head_sha))) {
    throw new HttpError(422, 'There are no new commits on the base branch.');
  }
  const message = `Merge branch '${base_ref}' into ${head_ref}`;
  const merged = await mergeIntoBranch(context, repository, { branch: head_ref, sha, message, sender_id });
  if (merged === undefined) throw new HttpError(422, 'merge conflict between base and head');
}
