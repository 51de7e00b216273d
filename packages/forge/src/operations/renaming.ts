import { type Context, gitOf } from '../context.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Repository } from '../model.ts';
import { HttpError } from '../responses.ts';
import { recordActivity } from './activity.ts';
import { branchDeleted } from './pushes.ts';
import { retargetSilently } from './retargeting.ts';

interface Renaming {
  from: string;
  to: string;
  sender_id: number;
}

/**
 * Renames a branch: its classic protection and the pull requests into it follow, those from it are closed.
 * The webhooks of the branch itself are left out.
 */
export async function renameBranch(
  context: Context,
  repository: Repository,
  { from, to, sender_id }: Renaming,
): Promise<void> {
  const git = gitOf(context, repository);
  const sha = await git.ref(`refs/heads/${from}`);
  if (sha === undefined) throw new HttpError(404, 'Branch not found');
  const made = await git.attempt(['update-ref', `refs/heads/${to}`, sha, zeroSha]);
  if (made.code !== 0) throw new HttpError(422, `The branch ${to} cannot be created`);
  const open = context.store.pulls(repository).filter(({ state }) => state === 'open');
  for (const issue of open.filter(({ pull }) => pull.base_ref === from)) {
    await retargetSilently(context, issue, { base: to, sender_id });
  }
  if (repository.default_branch === from) {
    repository.default_branch = to;
    await git.run(['symbolic-ref', 'HEAD', `refs/heads/${to}`]);
  }
  for (const protection of repository.protections) {
    if (protection.pattern === from) protection.pattern = to;
  }
  await git.run(['update-ref', '-d', `refs/heads/${from}`, sha]);
  const change = { sender_id, before: zeroSha, after: sha };
  await recordActivity(context, repository, { ...change, ref: `refs/heads/${to}` });
  await recordActivity(context, repository, {
    sender_id,
    ref: `refs/heads/${from}`,
    before: sha,
    after: zeroSha,
  });
  await branchDeleted(context, repository, { branch: from, before: sha, sender_id });
}
