import type { Octokit } from '../octokit/connect.ts';
import { unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Where a run of a workflow stands. */
export interface WorkflowRunFacts {
  /** Whether none of its jobs runs any more, or will. */
  readonly completed: boolean;
  /** Counts from 1: a workflow that is run again keeps its id. */
  readonly run_attempt: number;
}

/** Undefined if GitHub does not let us see it: that needs the permission `actions: read`. */
export async function readWorkflowRun(
  octokit: Octokit,
  where: RepositoryRef,
  run_id: number,
): Promise<WorkflowRunFacts | undefined> {
  const answer = await unlessForbidden(
    octokit.rest.actions.getWorkflowRun({ ...repoParams(where), run_id, exclude_pull_requests: true }),
  );
  if (answer === undefined) return undefined;
  const { status, run_attempt = 1 } = answer.data;
  return { completed: status === 'completed', run_attempt };
}
