import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, MissingPermission } from '../octokit/fault.ts';
import { readQueuePlace } from '../read/read-merge-queue.ts';
import type { RepositoryRef } from '../read/repository-ref.ts';

/** A pull request, as the queue knows it. */
export interface Queueable {
  readonly number: number;
  readonly node_id: string;
}

/**
 * Puts a pull request at the end of the merge queue of its base, unless its head is another one by now;
 * succeeds if it is there already. `refused`: GitHub's reason.
 */
export async function enqueuePull(
  octokit: Octokit,
  where: RepositoryRef,
  { number, node_id: pullRequestId, sha: expectedHeadOid }: Queueable & { readonly sha: string },
): Promise<{ readonly outcome: 'queued' } | { readonly outcome: 'refused'; readonly reason: string }> {
  try {
    await octokit.graphql(enqueue, { input: { pullRequestId, expectedHeadOid } });
    return { outcome: 'queued' };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable || fault instanceof MissingPermission) throw fault;
    // If the answer to an earlier request was lost, this one is refused, in whatever words.
    if ((await readQueuePlace(octokit, where, number)).queued) return { outcome: 'queued' };
    return { outcome: 'refused', reason: fault.reason };
  }
}

/** Takes a pull request out of the merge queue, whoever put it there; succeeds if it is in none. */
export async function dequeuePull(
  octokit: Octokit,
  where: RepositoryRef,
  { number, node_id: id }: Queueable,
): Promise<void> {
  try {
    await octokit.graphql(dequeue, { input: { id } });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    if ((await readQueuePlace(octokit, where, number)).queued) throw fault;
  }
}

const enqueue = `mutation EnqueuePullRequest($input: EnqueuePullRequestInput!) {
  enqueuePullRequest(input: $input) { clientMutationId }
}`;

const dequeue = `mutation DequeuePullRequest($input: DequeuePullRequestInput!) {
  dequeuePullRequest(input: $input) { clientMutationId }
}`;
