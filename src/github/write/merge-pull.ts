import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, MissingPermission, timeIn } from '../octokit/fault.ts';
import { readPull } from '../read/pulls.ts';
import { readQueuePlace } from '../read/read-merge-queue.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

export interface MergeRequest {
  readonly number: number;
  /** Only this commit is merged; GitHub refuses if the head has moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** The body of the commit that is made; undefined for what the repository's settings say. */
  readonly message?: string | undefined;
}

/** The answer to a merge, or to the question whether it has happened. */
export interface Merged {
  /** ISO 8601, if GitHub says it. */
  readonly at: string | undefined;
  /** It had been merged before, by us or by somebody else. */
  readonly before: boolean;
}

/**
 * Merges a pull request; succeeds if it is already merged. Throws `GitHubFault` with GitHub's message if it
 * refuses.
 */
export async function mergePull(
  octokit: Octokit,
  where: RepositoryRef,
  { number, sha, method, message }: MergeRequest,
): Promise<Merged> {
  const body = message === undefined ? {} : { commit_message: message };
  const wanted = { ...repoParams(where), pull_number: number, sha, merge_method: method, ...body };
  try {
    const { headers } = await octokit.rest.pulls.merge(wanted);
    return { at: isoTimeOf(headers.date), before: false };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable || fault instanceof MissingPermission) throw fault;
    // If the answer to an earlier merge was lost, this one is refused, in one way or another.
    if (!(await readPull(octokit, where, number)).merged) throw fault;
    return { at: isoTimeOf(fault.date), before: true };
  }
}

/** GitHub's own times have whole seconds, too. */
function isoTimeOf(date: string | undefined): string | undefined {
  return timeIn(date)?.replace('.000Z', 'Z');
}

/** What GitHub is to merge as soon as its rules allow it. */
type AutoMerge = Omit<MergeRequest, 'number'> & { readonly node_id: string };

/**
 * Lets GitHub merge by itself; only GraphQL can do that. `clean`: nothing is missing, so the pull request can be
 * merged at once. `refused`: GitHub's reason.
 */
export async function enableAutoMerge(
  octokit: Octokit,
  { node_id, sha, method, message }: AutoMerge,
): Promise<
  | { readonly outcome: 'enabled' }
  | { readonly outcome: 'clean' }
  | { readonly outcome: 'refused'; readonly reason: string }
> {
  const body = message === undefined ? {} : { commitBody: message };
  const mergeMethod = method.toUpperCase();
  const input = { pullRequestId: node_id, expectedHeadOid: sha, mergeMethod, ...body };
  try {
    await octokit.graphql(enable, { input });
    return { outcome: 'enabled' };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    if (/clean status/i.test(fault.reason)) return { outcome: 'clean' };
    return { outcome: 'refused', reason: fault.reason };
  }
}

/** Stops GitHub from merging by itself, whoever enabled it. */
export async function disableAutoMerge(
  octokit: Octokit,
  { node_id: id }: Pick<AutoMerge, 'node_id'>,
): Promise<void> {
  await octokit.graphql(disable, { id });
}

const enable = `mutation EnableAutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { clientMutationId }
}`;

const disable = `mutation DisableAutoMerge($id: ID!) {
  disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId }
}`;

/** A pull request, as the queue knows it. */
interface Queueable {
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
