import { gitOf, timestamp } from '../context.ts';
import { workflowRunPayload } from '../payloads/workflow-runs.ts';
import { needs } from '../permissions.ts';
import { HttpError, noContent, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { authorIn, numberOf } from './shared.ts';

const administer = needs('admin', { administration: 'read' });

export const actionRoutes: Route[] = [
  /** Stores the dispatch and calls the observer; the forge does not run workflows. */
  repositoryRoute(
    'POST /actions/workflows/{workflow_id}/dispatches',
    needs('write', { actions: 'write' }),
    async (request) => {
      const { context, repository, input, params } = request;
      const workflow = params['workflow_id'] ?? '';
      const ref = input.requiredText('ref');
      await requireDispatchable(request, { workflow, ref });
      const one = {
        repository_id: repository.id,
        workflow,
        ref,
        inputs: input.object('inputs')?.fields ?? {},
        user_id: authorIn(request).user_id,
        created_at: timestamp(context),
      };
      context.store.data.dispatches.push(one);
      context.observers.onDispatch?.(one);
      return noContent();
    },
  ),
  repositoryRoute(
    'GET /actions/runs/{run_id}',
    needs('read', { actions: 'read' }),
    async ({ context, repository, params }) => {
      const id = numberOf(params['run_id']);
      const run = context.store.data.workflow_runs.find(
        (one) => one.id === id && one.repository_id === repository.id,
      );
      if (!run) throw notFound();
      return ok(await workflowRunPayload(context, repository, run));
    },
  ),
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
  repositoryRoute(
    'GET /actions/secrets',
    needs('admin', { secrets: 'read' }),
    ({ repository: { settings, created_at } }) => {
      const names = settings.actions_secrets ?? [];
      const secrets = names.map((name) => ({ name, created_at, updated_at: created_at }));
      return ok({ total_count: secrets.length, secrets });
    },
  ),
];

/** The workflow must exist on the default branch, and have the trigger on the ref. */
async function requireDispatchable(
  { context, repository }: RepositoryRequest,
  { workflow, ref }: { workflow: string; ref: string },
): Promise<void> {
  const git = gitOf(context, repository);
  const path = `.github/workflows/${workflow}`;
  const known = await git.attempt(['cat-file', '-e', `refs/heads/${repository.default_branch}:${path}`]);
  if (known.code !== 0) throw notFound();
  const commit = await git.commit(ref);
  if (!commit) throw new HttpError(422, `No ref found for: ${ref}`);
  const file = await git.attempt(['cat-file', 'blob', `${commit}:${path}`]);
  if (/^\s*-?\s*["']?workflow_dispatch\b|^on:.*\bworkflow_dispatch\b/m.test(file.stdout)) return;
  throw new HttpError(422, "Workflow does not have 'workflow_dispatch' trigger");
}
