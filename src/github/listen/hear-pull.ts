import { somebody } from '../../steering/shapes/people.ts';
import type { QueueExit } from '../../steering/state/event.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { findPullByHead, readPull } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';
import { eventOn, type Heard, type Hearing } from './heard.ts';

/**
 * Someone else's commit on the branch; our own pushes are already in the ledger. Deliveries arrive late and
 * out of order, so the current head counts, unless GitHub's answer is older than the delivery.
 */
export async function translatePush(
  incoming: GitHubEventOf<'pushed'>,
  { octokit, own }: Hearing,
): Promise<Heard[]> {
  const { repository, pull, before, after, sender } = incoming;
  if (sender.bot && sender.login === own.login) return [];
  const now = await readPull(octokit, repository, pull.number);
  const late = now.head_sha !== before && now.head_sha !== after;
  const head = late ? now.head_sha : after;
  const forced = !(await descends(octokit, repository, { before, head }));
  const at = late ? now.updated_at : incoming.at;
  return eventOn(pull.number, {
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
  { octokit }: Hearing,
): Promise<Heard[]> {
  const { repository, branch, before, sender } = incoming;
  const pull = await findPullByHead(octokit, repository, branch);
  // Deleting a branch closes its pull request, so an open one may have its branch again.
  if (pull === undefined || (pull.open && (await hasBranch(octokit, repository, branch)))) return [];
  const id = `branch_deleted:${before}@${incoming.at}`;
  return eventOn(pull.number, { type: 'branch_deleted', id, at: incoming.at, by: sender.login });
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

/** A pull request was closed or reopened; whether that still holds is asked when it is recorded. */
export function translateTurn(incoming: GitHubEventOf<'closed' | 'reopened'>): Heard[] {
  const { pull, at, sender } = incoming;
  const stamp = { id: `${incoming.kind}:${at}`, at, by: sender.login };
  if (incoming.kind === 'reopened') return eventOn(pull.number, { type: 'reopened', ...stamp });
  const { merged } = incoming;
  return eventOn(pull.number, { type: 'closed', ...stamp, merged, base: pull.base_ref });
}

/** Someone changed the base branch. */
export function translateRetarget({ pull, at, sender }: GitHubEventOf<'retargeted'>): Heard[] {
  const { number, base_ref: base } = pull;
  return eventOn(number, { type: 'retargeted', id: `retargeted:${base}@${at}`, at, base, by: sender.login });
}

/**
 * A pull request was put into the merge queue of its base, or left it without being merged. What we do
 * ourselves is recorded where we do it.
 */
export function translateQueueTurn(
  incoming: GitHubEventOf<'enqueued' | 'dequeued'>,
  { own }: Hearing,
): Heard[] {
  const { kind, pull, at, sender } = incoming;
  if (sender.login === own.login) return [];
  const stamp = { id: `${kind}:${at}`, at };
  if (kind === 'enqueued') return eventOn(pull.number, { type: kind, ...stamp, by: sender.login });
  const because = exitOf(incoming.reason);
  if (because === 'merged') return [];
  const by = because === 'person' ? sender.login : somebody;
  return eventOn(pull.number, { type: kind, ...stamp, by, because });
}

/** What GitHub means by its reason, which webhooks and the timeline write differently; it may have others. */
export function exitOf(reason: string): QueueExit | 'merged' {
  return exits[reason.toLowerCase()] ?? 'unknown';
}

const exits: Readonly<Record<string, QueueExit | 'merged'>> = {
  merge: 'merged',
  merged: 'merged',
  already_merged: 'merged',
  manual: 'person',
  queue_cleared: 'person',
  merge_conflict: 'conflict',
  ci_failure: 'checks',
  failed_checks: 'checks',
  ci_timeout: 'timeout',
  checks_timed_out: 'timeout',
  branch_protections: 'rules',
};
