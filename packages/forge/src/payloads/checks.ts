import type { Context } from '../context.ts';
import type { CommitRecord } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { Annotation, CheckRun, CheckSuite } from '../model.ts';
import { appPayload } from './apps.ts';
import { simpleCommitPayload } from './commits.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from './links.ts';
import { pullReferences } from './pulls.ts';
import { repositoryPayload } from './repositories.ts';

export function checkRunPayload(context: Context, run: CheckRun): Json {
  const repository = context.store.repository(run.repository_id);
  const url = apiLink(context, repository, `/check-runs/${run.id}`);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.head_sha,
    external_id: run.external_id,
    url,
    html_url: htmlLink(context, repository, `/runs/${run.id}`),
    details_url: run.details_url ?? htmlLink(context, repository, `/runs/${run.id}`),
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.started_at,
    completed_at: run.completed_at,
    output: {
      ...run.output,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suite_id },
    app: appPayload(context, context.store.app(run.app_id)),
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

/** A check suite with its commit and repository. */
export function checkSuitePayload(context: Context, suite: CheckSuite, commit: CommitRecord): Json {
  const repository = context.store.repository(suite.repository_id);
  return {
    ...suiteCore(context, suite),
    head_commit: simpleCommitPayload(commit),
    latest_check_runs_count: runsOf(context, suite).length,
    check_runs_url: `${apiLink(context, repository, `/check-suites/${suite.id}`)}/check-runs`,
    repository: repositoryPayload(context, repository),
    rerequestable: true,
    runs_rerequestable: true,
  };
}

export function suiteCore(context: Context, suite: CheckSuite): Json {
  const repository = context.store.repository(suite.repository_id);
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.head_branch,
    head_sha: suite.head_sha,
    ...stateOf(runsOf(context, suite)),
    url: apiLink(context, repository, `/check-suites/${suite.id}`),
    before: suite.before,
    after: suite.after,
    pull_requests: pullReferences(context, repository, suite.head_sha),
    app: appPayload(context, context.store.app(suite.app_id)),
    created_at: suite.created_at,
    updated_at: suite.updated_at,
  };
}

export function runsOf(context: Context, suite: CheckSuite): CheckRun[] {
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
