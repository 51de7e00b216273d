import { type Answer, created, notFound, ok, Refusal } from '../answers.ts';
import { applyCheckFields } from '../life/checks.ts';
import { mergeWhenClean } from '../life/merging.ts';
import { suiteFor, tellOfSuite } from '../life/pushes.ts';
import type { App, CheckRun, CheckSuite } from '../model.ts';
import { page, pageOf } from '../pagination.ts';
import {
  annotationPayload,
  checkRunEventPayload,
  checkRunPayload,
  checkSuitePayload,
} from '../payloads/checks.ts';
import { needs } from '../permissions.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { gitOf, timestamp } from '../site.ts';
import { authorIn, numberOf } from './shared.ts';

const read = needs('read', { checks: 'read' });
const write = needs('write', { checks: 'write' });

export const checkRoutes: Route[] = [
  repositoryRoute('POST /check-runs', write, create),
  repositoryRoute('GET /check-runs/{check_run_id}', read, (request) =>
    ok(checkRunPayload(request.site, runIn(request))),
  ),
  repositoryRoute('PATCH /check-runs/{check_run_id}', write, update),
  repositoryRoute('GET /check-runs/{check_run_id}/annotations', read, annotations),
  repositoryRoute('POST /check-runs/{check_run_id}/rerequest', write, rerequest),
  repositoryRoute('GET /commits/{ref}/check-runs', read, listForRef),
  repositoryRoute('GET /commits/{ref}/check-suites', read, suitesForRef),
  repositoryRoute('GET /check-suites/{check_suite_id}', read, async (request) =>
    ok(await checkSuitePayload(request.site, suiteIn(request))),
  ),
  repositoryRoute('GET /check-suites/{check_suite_id}/check-runs', read, listInSuite),
  repositoryRoute('POST /check-suites/{check_suite_id}/rerequest', write, rerequestSuite),
];

async function create(request: RepositoryRequest): Promise<Answer> {
  const { site, repository, input } = request;
  const app = appIn(request);
  const name = input.requiredText('name');
  const head_sha = input.requiredText('head_sha');
  const commit = await gitOf(site, repository).commit(head_sha);
  if (commit !== head_sha) {
    throw new Refusal(422, `No commit found for SHA: ${head_sha}`);
  }
  const run = newRun(request, { app, name, head_sha });
  applyCheckFields(site, run, input);
  site.store.data.check_runs.push(run);
  tell(request, run, 'created');
  if (run.status === 'completed') await completed(request, run);
  return created(checkRunPayload(site, run));
}

function newRun(
  { site, repository }: RepositoryRequest,
  { app, name, head_sha }: { app: App; name: string; head_sha: string },
): CheckRun {
  const branch = site.store.pulls(repository).find(({ pull }) => pull.head_sha === head_sha)?.pull.head_ref;
  const suite = suiteFor(site, repository, { app, after: head_sha, ...(branch ? { branch } : {}) });
  return {
    id: site.store.id(),
    repository_id: repository.id,
    suite_id: suite.id,
    app_id: app.id,
    name,
    head_sha,
    status: 'queued',
    conclusion: null,
    started_at: timestamp(site),
    completed_at: null,
    details_url: null,
    external_id: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
}

async function update(request: RepositoryRequest): Promise<Answer> {
  const { site, input } = request;
  const run = runIn(request);
  if (appIn(request).id !== run.app_id) {
    throw new Refusal(
      403,
      'Invalid app_id `'.concat(
        String(appIn(request).id),
        '` - check run can only be modified by the GitHub App that created it.',
      ),
    );
  }
  const before = run.status;
  applyCheckFields(site, run, input);
  if (run.status === 'completed' && before !== 'completed') await completed(request, run);
  return ok(checkRunPayload(site, run));
}

/** A passed check may be what a pull request that merges by itself was waiting for. */
async function completed(request: RepositoryRequest, run: CheckRun): Promise<void> {
  const { site, repository } = request;
  tell(request, run, 'completed');
  for (const issue of site.store.pulls(repository).filter(({ pull }) => pull.head_sha === run.head_sha)) {
    await mergeWhenClean(site, issue);
  }
}

/** Only an App may write checks; a person is told so. */
function appIn({ actor }: RepositoryRequest): App {
  if (actor.kind === 'installation') return actor.app;
  throw new Refusal(403, 'You must authenticate via a GitHub App.');
}

function tell(request: RepositoryRequest, run: CheckRun, action: string): void {
  const { site, repository } = request;
  const payload = { check_run: checkRunEventPayload(site, run) };
  site.emit({ event: 'check_run', action, repository, sender_id: authorIn(request).user_id, payload });
}

function annotations(request: RepositoryRequest): Promise<Answer> {
  const run = runIn(request);
  return page(request, run.annotations, (annotation) => annotationPayload(request.site, run, annotation));
}

function rerequest(request: RepositoryRequest): Answer {
  const { site, repository } = request;
  const run = runIn(request);
  const payload = { check_run: checkRunEventPayload(site, run) };
  const sender_id = authorIn(request).user_id;
  site.emit({
    event: 'check_run',
    action: 'rerequested',
    repository,
    sender_id,
    payload,
    app_id: run.app_id,
  });
  return { status: 201, body: {} };
}

async function rerequestSuite(request: RepositoryRequest): Promise<Answer> {
  const sender_id = authorIn(request).user_id;
  await tellOfSuite(request.site, { suite: suiteIn(request), action: 'rerequested', sender_id });
  return { status: 201, body: {} };
}

async function listForRef(request: RepositoryRequest): Promise<Answer> {
  const sha = await shaIn(request);
  const app_id = request.query.get('app_id');
  const runs = runsHere(request).filter((run) => run.head_sha === sha);
  return listed(request, app_id === null ? runs : runs.filter((run) => run.app_id === Number(app_id)));
}

function listInSuite(request: RepositoryRequest): Promise<Answer> {
  const suite = suiteIn(request);
  return listed(
    request,
    runsHere(request).filter((run) => run.suite_id === suite.id),
  );
}

/** `filter=latest` (the default) shows one run for each name and App. */
function listed(request: RepositoryRequest, runs: CheckRun[]): Promise<Answer> {
  const { query, site } = request;
  const name = query.get('check_name');
  const status = query.get('status');
  const newestFirst = runs
    .filter((run) => (name === null || run.name === name) && (status === null || run.status === status))
    .sort((left, right) => right.id - left.id);
  const shown = query.get('filter') === 'all' ? newestFirst : newestFirst.filter(isFirstOfItsName);
  return pageOf(request, shown, async (page) => ({
    total_count: shown.length,
    check_runs: page.map((run) => checkRunPayload(site, run)),
  }));
}

function isFirstOfItsName(run: CheckRun, index: number, runs: CheckRun[]): boolean {
  return runs.findIndex((one) => one.name === run.name && one.app_id === run.app_id) === index;
}

async function suitesForRef(request: RepositoryRequest): Promise<Answer> {
  const { site, repository } = request;
  const sha = await shaIn(request);
  const suites = site.store.data.suites.filter(
    (one) => one.repository_id === repository.id && one.head_sha === sha,
  );
  return pageOf(request, suites, async (page) => ({
    total_count: suites.length,
    check_suites: await Promise.all(page.map((suite) => checkSuitePayload(site, suite))),
  }));
}

async function shaIn({ site, repository, params }: RepositoryRequest): Promise<string> {
  const sha = await gitOf(site, repository).commit(params['ref'] ?? '');
  if (!sha) throw new Refusal(422, `No commit found for SHA: ${params['ref']}`);
  return sha;
}

function runsHere({ site, repository }: RepositoryRequest): CheckRun[] {
  return site.store.data.check_runs.filter((run) => run.repository_id === repository.id);
}

function runIn(request: RepositoryRequest): CheckRun {
  const id = numberOf(request.params['check_run_id']);
  const run = runsHere(request).find((one) => one.id === id);
  if (!run) throw notFound();
  return run;
}

function suiteIn({ site, repository, params }: RepositoryRequest): CheckSuite {
  const id = numberOf(params['check_suite_id']);
  const suite = site.store.data.suites.find((one) => one.id === id && one.repository_id === repository.id);
  if (!suite) throw notFound();
  return suite;
}
