import type { Octokit } from '../octokit/connect.ts';
import { unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Where a run of a workflow stands; undefined if we may not see it, which needs `actions: read`. */
export async function readWorkflowRun(octokit: Octokit, where: RepositoryRef, run_id: number) {
  const answer = await unlessForbidden(
    octokit.rest.actions.getWorkflowRun({ ...repoParams(where), run_id, exclude_pull_requests: true }),
  );
  if (answer === undefined) return undefined;
  const { status, run_attempt = 1 } = answer.data;
  // None of its jobs runs any more, or will. One that is run again keeps its id: attempts count from 1.
  return { completed: status === 'completed', run_attempt };
}
