import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { readPull } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';

export interface MergeRequest {
  readonly number: number;
  /** Only this commit is merged; GitHub refuses if the head has moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** `allowed`: GitHub merges automatically once its own rules allow it. */
  readonly when: 'now' | 'allowed';
}

/**
 * Merges a pull request or enables auto-merge; succeeds if it is already merged. Throws `GitHubFault` with
 * GitHub's message if it refuses.
 */
export async function mergePull(
  octokit: Octokit,
  where: RepositoryRef,
  request: MergeRequest,
): Promise<void> {
  const pull = await readPull(octokit, where, request.number);
  if (pull.merged) return;
  if (request.when === 'now') return mergeNow(octokit, where, request);
  return mergeWhenAllowed(octokit, { where, node_id: pull.node_id }, request);
}

/** If the answer to an earlier merge was lost, this one is refused; so check whether it is already merged. */
async function mergeNow(
  octokit: Octokit,
  where: RepositoryRef,
  { number, sha, method }: MergeRequest,
): Promise<void> {
  try {
    await octokit.rest.pulls.merge({ ...repoParams(where), pull_number: number, sha, merge_method: method });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 405) throw fault;
    if (!(await readPull(octokit, where, number)).merged) throw fault;
  }
}

interface Mergeable {
  readonly where: RepositoryRef;
  readonly node_id: string;
}

/** GitHub refuses auto-merge for a pull request that can be merged at once. */
async function mergeWhenAllowed(
  octokit: Octokit,
  { where, node_id }: Mergeable,
  request: MergeRequest,
): Promise<void> {
  const mergeMethod = request.method.toUpperCase();
  const input = { pullRequestId: node_id, expectedHeadOid: request.sha, mergeMethod };
  try {
    await octokit.graphql(enableAutoMerge, { input });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || !/clean status/i.test(fault.reason)) throw fault;
    return mergeNow(octokit, where, request);
  }
}

const enableAutoMerge = `mutation EnableAutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { clientMutationId }
}`;
