import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { MergeRequest } from './merge.ts';

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
