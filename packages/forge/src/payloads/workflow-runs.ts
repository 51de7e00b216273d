import { type Context, gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { Repository, WorkflowRun } from '../model.ts';
import { simpleCommitPayload } from './commits.ts';
import { apiLink, htmlLink, nodeId } from './links.ts';
import { repositoryPayload } from './repositories.ts';

/** The forge knows no workflows, so all of them have this id and this suite. */
const workflowId = 1;

/** A run of a workflow on the default branch, as in the API. */
export async function workflowRunPayload(
  context: Context,
  repository: Repository,
  run: WorkflowRun,
): Promise<Json> {
  const commit = await readCommit(gitOf(context, repository), run.head_sha);
  const where = repositoryPayload(context, repository);
  const { repository_id: _, ...facts } = run;
  return {
    ...facts,
    node_id: nodeId('WorkflowRun', run.id),
    name: run.path,
    display_title: run.path,
    head_branch: repository.default_branch,
    run_number: 1,
    workflow_id: workflowId,
    check_suite_id: workflowId,
    check_suite_node_id: nodeId('CheckSuite', workflowId),
    run_started_at: run.created_at,
    pull_requests: [],
    head_commit: simpleCommitPayload(commit),
    repository: where,
    head_repository: where,
    ...addresses(context, repository, run),
  };
}

function addresses(context: Context, repository: Repository, { id }: WorkflowRun): Json {
  const url = apiLink(context, repository, `/actions/runs/${id}`);
  return {
    url,
    html_url: htmlLink(context, repository, `/actions/runs/${id}`),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: null,
    workflow_url: apiLink(context, repository, `/actions/workflows/${workflowId}`),
    check_suite_url: apiLink(context, repository, `/check-suites/${workflowId}`),
  };
}
