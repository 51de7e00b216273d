import { timestamp } from '../context.ts';
import type { App, CheckRun } from '../model.ts';
import { applyCheckFields, suiteFor } from '../operations/checks.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import {
  annotationPayload,
  checkRunEventPayload,
  checkRunPayload,
  workflowRunPayload,
} from '../payloads/checks.ts';
import { needs } from '../permissions.ts';
import { created, HttpError, noContent, notFound, ok } from '../responses.ts';
import {
  type Listed,
  page,
  pageOf,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
  routesOn,
} from '../router.ts';
import { commitIn, thingIn } from './shared.ts';

const read = needs('read', { checks: 'read' });
const write = needs('write', { checks: 'write' });

const dispatch = needs('write', { actions: 'write' });
const readSecrets = needs('admin', { secrets: 'read' });
const administer = needs('admin', { administration: 'read' });

const runRoute = routesOn(runIn);

export const checkRoutes: Route[] = [
  repositoryRoute('POST /check-runs', write, async (request) => {
    const { context, input, git } = request;
    const app = appIn(request);
    const name = input.requiredText('name');
    const head_sha = input.requiredText('head_sha');
    const commit = await git.commit(head_sha);
    if (commit !== head_sha) {
      throw new HttpError(422, `No commit found for SHA: ${head_sha}`);
    }
    const run = newRun(request, { app, name, head_sha });
    applyCheckFields(context, run, input);
    context.store.data.check_runs.push(run);
    emitCheckRunEvent(request, run, 'created');
    if (run.status === 'completed') await completed(request, run);
    return created(checkRunPayload(context, run));
  }),
  runRoute('GET /check-runs/{check_run_id}', read, (run, { context }) => ok(checkRunPayload(context, run))),
  runRoute('PATCH /check-runs/{check_run_id}', write, async (run, request) => {
    const { context, input } = request;
    if (appIn(request).id !== run.app_id) {
      const why = 'check run can only be modified by the GitHub App that created it.';
      throw new HttpError(403, `Invalid app_id \`${appIn(request).id}\` - ${why}`);
    }
    const before = run.status;
    applyCheckFields(context, run, input);
    if (run.status === 'completed') await completed(request, run, before !== 'completed');
    return ok(checkRunPayload(context, run));
  }),
  runRoute('GET /check-runs/{check_run_id}/annotations', read, (run, { context }) => {
    return page(run.annotations, (annotation) => annotationPayload(context, run, annotation));
  }),
  runRoute('POST /check-runs/{check_run_id}/rerequest', write, (run, request) => {
    emitCheckRunEvent(request, run, 'rerequested', run.app_id);
    return { status: 201, body: {} };
  }),
  repositoryRoute('GET /commits/{ref}/check-runs', read, async (request) => {
    const sha = await commitIn(request, request.params['ref']);
    const app_id = request.query.get('app_id');
    const runs = runsHere(request).filter((run) => run.head_sha === sha);
    return listed(request, app_id === null ? runs : runs.filter((run) => run.app_id === Number(app_id)));
  }),
  repositoryRoute('GET /check-suites/{check_suite_id}/check-runs', read, (request) => {
    const suite = thingIn(request, request.context.store.data.suites, 'check_suite_id');
    const runs = runsHere(request).filter((run) => run.suite_id === suite.id);
    return listed(request, runs);
  }),
  /** Calls the observer; the forge does not run workflows. */
  repositoryRoute('POST /actions/workflows/{workflow_id}/dispatches', dispatch, async (request) => {
    const { context, repository, input, params } = request;
    const workflow = params['workflow_id'] ?? '';
    const ref = input.requiredText('ref');
    await requireDispatchable(request, { workflow, ref });
    context.observers.onDispatch?.({
      ...{ repository_id: repository.id, workflow, ref, user_id: request.sender_id },
      inputs: input.object('inputs')?.fields ?? {},
      created_at: timestamp(context),
    });
    return noContent();
  }),
  repositoryRoute('GET /actions/runs/{run_id}', needs('read', { actions: 'read' }), async (request) => {
    const { context, repository } = request;
    const run = thingIn(request, context.store.data.workflow_runs, 'run_id');
    return ok(await workflowRunPayload(context, repository, run));
  }),
  repositoryRoute('GET /actions/permissions', administer, ({ repository: { settings } }) => {
    const enabled = settings.actions_enabled ?? true;
    return ok({ enabled, ...(enabled && { allowed_actions: 'all' }), sha_pinning_required: false });
  }),
  repositoryRoute('GET /actions/permissions/workflow', administer, ({ repository: { settings } }) => {
    return ok({
      default_workflow_permissions: 'read',
      can_approve_pull_request_reviews: settings.actions_may_create_pull_requests,
    });
  }),
  repositoryRoute('GET /actions/secrets', readSecrets, ({ repository: { settings, created_at } }) => {
    const names = settings.actions_secrets ?? [];
    const secrets = names.map((name) => ({ name, created_at, updated_at: created_at }));
    return ok({ total_count: secrets.length, secrets });
  }),
];

function newRun(
  { context, repository }: RepositoryRequest,
  { app, name, head_sha }: { app: App; name: string; head_sha: string },
): CheckRun {
  const branch = context.store.pulls(repository).find(({ pull }) => pull.head_sha === head_sha)
    ?.pull.head_ref;
  const suite = suiteFor(context, repository, { app, after: head_sha, ...(branch ? { branch } : {}) });
  return {
    id: context.store.id(),
    repository_id: repository.id,
    suite_id: suite.id,
    app_id: app.id,
    name,
    head_sha,
    status: 'queued',
    conclusion: null,
    started_at: timestamp(context),
    completed_at: null,
    details_url: null,
    external_id: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
}

/** A passed check may allow an auto-merge. */
async function completed(request: RepositoryRequest, run: CheckRun, isNews = true): Promise<void> {
  const { context, repository } = request;
  if (isNews) emitCheckRunEvent(request, run, 'completed');
  for (const issue of context.store.pulls(repository).filter(({ pull }) => pull.head_sha === run.head_sha)) {
    await mergeWhenReady(context, issue);
  }
}

/** Only Apps may write checks. */
function appIn({ actor }: RepositoryRequest): App {
  if (actor.kind === 'installation') return actor.app;
  throw new HttpError(403, 'You must authenticate via a GitHub App.');
}

function emitCheckRunEvent(request: RepositoryRequest, run: CheckRun, action: string, app_id?: number): void {
  const { context, repository, sender_id } = request;
  const payload = { check_run: checkRunEventPayload(context, run) };
  context.emit({ name: 'check_run', action, repository, sender_id, payload, app_id });
}

/** `filter=latest` (the default) lists one run for each name and App. */
function listed({ context, query }: RepositoryRequest, runs: CheckRun[]): Listed {
  const name = query.get('check_name');
  const status = query.get('status');
  const newestFirst = runs
    .filter((run) => (name === null || run.name === name) && (status === null || run.status === status))
    .sort((left, right) => right.id - left.id);
  const shown = query.get('filter') === 'all' ? newestFirst : newestFirst.filter(isFirstOfItsName);
  return pageOf(shown, async (page) => ({
    total_count: shown.length,
    check_runs: page.map((run) => checkRunPayload(context, run)),
  }));
}

function isFirstOfItsName(run: CheckRun, index: number, runs: CheckRun[]): boolean {
  return runs.findIndex((one) => one.name === run.name && one.app_id === run.app_id) === index;
}

function runsHere({ context, repository }: RepositoryRequest): CheckRun[] {
  return context.store.data.check_runs.filter((run) => run.repository_id === repository.id);
}

function runIn(request: RepositoryRequest): CheckRun {
  return thingIn(request, request.context.store.data.check_runs, 'check_run_id');
}

/** The workflow must exist on the default branch, and have the trigger on the ref. */
async function requireDispatchable(
  { repository, git }: RepositoryRequest,
  { workflow, ref }: { workflow: string; ref: string },
): Promise<void> {
  const path = `.github/workflows/${workflow}`;
  const known = await git.attempt(['cat-file', '-e', `refs/heads/${repository.default_branch}:${path}`]);
  if (known.code !== 0) throw notFound();
  const commit = await git.commit(ref);
  if (!commit) throw new HttpError(422, `No ref found for: ${ref}`);
  const file = await git.attempt(['cat-file', 'blob', `${commit}:${path}`]);
  if (/^\s*-?\s*["']?workflow_dispatch\b|^on:.*\bworkflow_dispatch\b/m.test(file.stdout)) return;
  throw new HttpError(422, "Workflow does not have 'workflow_dispatch' trigger");
}
