import type { Octokit } from '../octokit/connect.ts';
import { readPull } from './pulls.ts';
import { at, type Where } from './where.ts';

export interface MergeWish {
  readonly number: number;
  /** Only this commit is merged; GitHub refuses when the head has moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** `allowed`: GitHub merges by itself once its own rules allow it. */
  readonly when: 'now' | 'allowed';
}

/** Merges a pull request, or asks GitHub to. Merged already is as good. */
export async function mergePull(octokit: Octokit, where: Where, wish: MergeWish): Promise<void> {
  const { number, sha, method, when } = wish;
  const pull = await readPull(octokit, where, number);
  if (pull.merged) return;
  if (when === 'now') {
    await octokit.rest.pulls.merge({ ...at(where), pull_number: number, sha, merge_method: method });
    return;
  }
  await octokit.graphql(enableAutoMerge, {
    input: { pullRequestId: pull.node_id, expectedHeadOid: sha, mergeMethod: method.toUpperCase() },
  });
}

const enableAutoMerge = `mutation EnableAutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { clientMutationId }
}`;
