import { readCommit } from '../git/commits.ts';
import type { Annotation, CheckRun, CheckSuite } from '../model.ts';
import { gitOf, type Json, type Site } from '../site.ts';
import { appPayload } from './apps.ts';
import { simpleCommitPayload } from './commits.ts';
import { apiLink, htmlLink, nodeId } from './links.ts';
import { pullReferences } from './pulls.ts';
import { repositoryPayload } from './repositories.ts';

export function checkRunPayload(site: Site, run: CheckRun): Json {
  const repository = site.store.repository(run.repository_id);
  const url = apiLink(site, repository, `/check-runs/${run.id}`);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.head_sha,
    external_id: run.external_id,
    url,
    html_url: htmlLink(site, repository, `/runs/${run.id}`),
    details_url: run.details_url ?? htmlLink(site, repository, `/runs/${run.id}`),
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
    app: appPayload(site, site.store.app(run.app_id)),
    pull_requests: pullReferences(site, repository, run.head_sha),
  };
}

/** A check run in a webhook: with its suite, and with the buttons it shows. */
export function checkRunEventPayload(site: Site, run: CheckRun): Json {
  const suite = site.store.data.suites.find((one) => one.id === run.suite_id);
  return {
    ...checkRunPayload(site, run),
    actions: run.actions,
    ...(suite ? { check_suite: suiteCore(site, suite) } : {}),
  };
}

export function annotationPayload(site: Site, run: CheckRun, annotation: Annotation): Json {
  const repository = site.store.repository(run.repository_id);
  return { ...annotation, blob_href: htmlLink(site, repository, `/blob/${run.head_sha}/${annotation.path}`) };
}

/** A suite by itself: with its commit and repository. */
export async function checkSuitePayload(site: Site, suite: CheckSuite): Promise<Json> {
  const repository = site.store.repository(suite.repository_id);
  const commit = await readCommit(gitOf(site, repository), suite.head_sha);
  return {
    ...suiteCore(site, suite),
    head_commit: simpleCommitPayload(commit),
    latest_check_runs_count: runsOf(site, suite).length,
    check_runs_url: `${apiLink(site, repository, `/check-suites/${suite.id}`)}/check-runs`,
    repository: repositoryPayload(site, repository),
    rerequestable: true,
    runs_rerequestable: true,
  };
}

export function suiteCore(site: Site, suite: CheckSuite): Json {
  const repository = site.store.repository(suite.repository_id);
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.head_branch,
    head_sha: suite.head_sha,
    ...stateOf(runsOf(site, suite)),
    url: apiLink(site, repository, `/check-suites/${suite.id}`),
    before: suite.before,
    after: suite.after,
    pull_requests: pullReferences(site, repository, suite.head_sha),
    app: appPayload(site, site.store.app(suite.app_id)),
    created_at: suite.created_at,
    updated_at: suite.updated_at,
  };
}

export function runsOf(site: Site, suite: CheckSuite): CheckRun[] {
  return site.store.data.check_runs.filter((run) => run.suite_id === suite.id);
}

/** Worst first: a suite concludes as its worst run did. */
const conclusions = ['action_required', 'timed_out', 'cancelled', 'failure', 'success', 'neutral', 'skipped'];

function stateOf(runs: CheckRun[]): Json {
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const conclusion = conclusions.find((word) => runs.some((run) => run.conclusion === word)) ?? 'neutral';
  return { status: 'completed', conclusion };
}
