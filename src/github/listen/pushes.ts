import { isBefore } from '../../steering/shapes/time.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { findPullByHead, type PullFacts, readPull } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';
import { eventOn, type RunEvent, repositoryOf, type TranslateContext } from './run-event.ts';

/**
 * Someone else's commit on the branch; our own pushes are already in the ledger. Deliveries arrive late and
 * out of order, so the current head counts, unless GitHub's answer is older than the delivery.
 */
export async function translatePush(
  incoming: GitHubEventOf<'pushed'>,
  { octokit, own }: TranslateContext,
): Promise<RunEvent[]> {
  const { repository, pull, before, after, sender } = incoming;
  if (sender.bot && sender.login === own.login) return [];
  const now = await readPull(octokit, repository, pull.number);
  const late = now.head_sha !== before && now.head_sha !== after;
  const head = late ? now.head_sha : after;
  const forced = !(await descends(octokit, repository, { before, head }));
  const at = late ? now.updated_at : incoming.at;
  return eventOn(incoming, pull.number, {
    type: 'pushed',
    // A branch can be reset to an earlier commit, so the commit alone does not identify the push.
    id: `push:${head}@${at}`,
    at,
    before,
    head,
    forced,
    by: sender.login,
    by_id: sender.id,
  });
}

/** A branch was deleted, and is still; its run, if any, is the one of its pull request. */
export async function translateBranchDeleted(
  incoming: GitHubEventOf<'branch_deleted'>,
  { octokit }: TranslateContext,
): Promise<RunEvent[]> {
  const { repository, branch, before, sender } = incoming;
  const pull = await findPullByHead(octokit, repository, branch);
  // Deleting a branch closes its pull request, so an open one may have its branch again.
  if (pull === undefined || (pull.open && (await hasBranch(octokit, repository, branch)))) return [];
  const id = `branch_deleted:${before}@${incoming.at}`;
  return eventOn(incoming, pull.number, { type: 'branch_deleted', id, at: incoming.at, by: sender.login });
}

async function hasBranch(octokit: Octokit, where: RepositoryRef, branch: string): Promise<boolean> {
  const found = await unless(octokit.rest.git.getRef({ ...repoParams(where), ref: `heads/${branch}` }), 404);
  return found !== undefined;
}

/** Whether the push is a fast-forward. If GitHub no longer knows the old commit, it was not. */
async function descends(
  octokit: Octokit,
  where: RepositoryRef,
  { before, head }: { readonly before: string; readonly head: string },
): Promise<boolean> {
  const basehead = `${before}...${head}`;
  // The second page omits the list of files, which can be long and is not needed.
  const asked = { ...repoParams(where), basehead, per_page: 1, page: 2 };
  const found = await unless(octokit.rest.repos.compareCommitsWithBasehead(asked), 404);
  return found?.data.status === 'ahead' || found?.data.status === 'identical';
}

/**
 * A pull request was closed or reopened. Deliveries arrive late and out of order, and what has been undone
 * since must not end a run or pause it, so the pull request is read; only merging cannot be undone.
 */
export async function translateTurn(
  incoming: GitHubEventOf<'closed' | 'reopened'>,
  { octokit }: TranslateContext,
): Promise<RunEvent[]> {
  const { repository, pull, at, sender } = incoming;
  const isMerged = incoming.kind === 'closed' && incoming.merged;
  const id = `${incoming.kind}:${at}`;
  if (!isMerged && isUndone(incoming, await readPull(octokit, repository, pull.number)))
    return [{ kind: 'obsolete', ...repositoryOf(incoming), number: pull.number, id }];
  const stamp = { id, at, by: sender.login };
  if (incoming.kind === 'reopened') return eventOn(incoming, pull.number, { type: 'reopened', ...stamp });
  const { merged } = incoming;
  return eventOn(incoming, pull.number, { type: 'closed', ...stamp, merged, base: pull.base_ref });
}

/** Unless GitHub's answer is older than the delivery. */
function isUndone({ kind, at }: GitHubEventOf<'closed' | 'reopened'>, now: PullFacts): boolean {
  if (kind === 'closed') return now.open && !isBefore(now.updated_at, at);
  return now.closed_at !== null && !isBefore(now.closed_at, at);
}
