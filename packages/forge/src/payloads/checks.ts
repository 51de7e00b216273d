import { type Context, gitOf } from '../context.ts';
import { type CommitRecord, readCommit } from '../git/commits.ts';
import type {
  Annotation,
  CheckRun,
  CheckSuite,
  CommitStatus,
  Json,
  Repository,
  WorkflowRun,
} from '../model.ts';
import { accountById, appPayload } from './accounts.ts';
import { simpleCommitPayload } from './commits.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from './links.ts';
import { pullReferences } from './pulls.ts';
import { repositoryPayload } from './repositories.ts';

export function checkRunPayload(context: Context, run: CheckRun): Json {
  const repository = context.store.repository(run.repository_id);
  const url = apiLink(context, repository, `/check-runs/${run.id}`);
  const { repository_id: _, suite_id, app_id, annotations, actions: __, ...shown } = run;
  return {
    ...shown,
    node_id: nodeId('CheckRun', run.id),
    url,
    html_url: htmlLink(context, repository, `/runs/${run.id}`),
    details_url: run.details_url ?? htmlLink(context, repository, `/runs/${run.id}`),
    output: {
      ...run.output,
      annotations_count: annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: suite_id },
    app: appPayload(context, context.store.app(app_id)),
    pull_requests: pullReferences(context, repository, run.head_sha),
  };
}

/** A check run as in webhooks: with its suite and its buttons. */
export function checkRunEventPayload(context: Context, run: CheckRun): Json {
  const suite = context.store.data.suites.find((one) => one.id === run.suite_id);
  return {
    ...checkRunPayload(context, run),
    actions: run.actions,
    ...(suite ? { check_suite: suiteCore(context, suite) } : {}),
  };
}

export function annotationPayload(context: Context, run: CheckRun, annotation: Annotation): Json {
  const repository = context.store.repository(run.repository_id);
  return {
    ...annotation,
    blob_href: htmlLink(context, repository, `/blob/${run.head_sha}/${encodedPath(annotation.path)}`),
  };
}

/** A check suite as in webhooks: with its commit. */
export function checkSuitePayload(context: Context, suite: CheckSuite, commit: CommitRecord): Json {
  const repository = context.store.repository(suite.repository_id);
  return {
    ...suiteCore(context, suite),
    head_commit: simpleCommitPayload(commit),
    latest_check_runs_count: runsOf(context, suite).length,
    check_runs_url: `${apiLink(context, repository, `/check-suites/${suite.id}`)}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  };
}

function suiteCore(context: Context, suite: CheckSuite): Json {
  const { repository_id, app_id, ...shown } = suite;
  const repository = context.store.repository(repository_id);
  return {
    ...shown,
    node_id: nodeId('CheckSuite', suite.id),
    ...stateOf(runsOf(context, suite)),
    url: apiLink(context, repository, `/check-suites/${suite.id}`),
    pull_requests: pullReferences(context, repository, suite.head_sha),
    app: appPayload(context, context.store.app(app_id)),
  };
}

function runsOf(context: Context, suite: CheckSuite): CheckRun[] {
  return context.store.data.check_runs.filter((run) => run.suite_id === suite.id);
}

/** Worst first: the conclusion of a suite is that of its worst run. */
const conclusions = ['action_required', 'timed_out', 'cancelled', 'failure', 'success', 'neutral', 'skipped'];

function stateOf(runs: CheckRun[]): Json {
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const conclusion = conclusions.find((word) => runs.some((run) => run.conclusion === word)) ?? 'neutral';
  return { status: 'completed', conclusion };
}

export function statusPayload(context: Context, repository: Repository, status: CommitStatus): Json {
  const { repository_id: _, app_id: __, sha, creator_id, ...shown } = status;
  return {
    ...shown,
    url: apiLink(context, repository, `/statuses/${sha}`),
    avatar_url: `${context.url}/avatars/u/${creator_id}`,
    node_id: nodeId('StatusContext', status.id),
    updated_at: status.created_at,
    creator: accountById(context, creator_id),
  };
}

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
