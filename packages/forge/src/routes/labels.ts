import { type Answer, created, noContent, notFound, ok, Refusal } from '../answers.ts';
import type { Label } from '../model.ts';
import { findLabel } from '../operations/issues.ts';
import { page } from '../pagination.ts';
import { labelPayload } from '../payloads/issues.ts';
import { needs } from '../permissions.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('write', { issues: 'write' }, { pull_requests: 'write' });

export const labelRoutes: Route[] = [
  repositoryRoute('GET /labels', read, (request) =>
    page(request, request.repository.labels, (label) =>
      labelPayload(request.context, request.repository, label),
    ),
  ),
  repositoryRoute('POST /labels', write, create),
  repositoryRoute('GET /labels/{name}', read, (request) => shown(request, labelIn(request))),
  repositoryRoute('PATCH /labels/{name}', write, update),
  repositoryRoute('DELETE /labels/{name}', write, remove),
];

function create(request: RepositoryRequest): Answer {
  const { context, repository, input } = request;
  const name = input.requiredText('name');
  if (findLabel(repository, name)) {
    throw new Refusal(422, 'Validation Failed', {
      errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
    });
  }
  const color = (input.text('color') ?? 'ededed').toLowerCase();
  refuseWrongColor(color);
  const label: Label = {
    id: context.store.id(),
    name,
    color,
    description: input.text('description') ?? null,
  };
  repository.labels.push(label);
  return created(labelPayload(context, repository, label));
}

function update(request: RepositoryRequest): Answer {
  const { input } = request;
  const label = labelIn(request);
  label.name = input.text('new_name') ?? label.name;
  label.color = input.text('color')?.toLowerCase() ?? label.color;
  label.description = input.text('description') ?? label.description;
  refuseWrongColor(label.color);
  return shown(request, label);
}

function remove(request: RepositoryRequest): Answer {
  const { context, repository } = request;
  const label = labelIn(request);
  repository.labels = repository.labels.filter((one) => one !== label);
  for (const issue of context.store.issues(repository)) {
    issue.label_ids = issue.label_ids.filter((id) => id !== label.id);
  }
  return noContent();
}

function labelIn({ repository, params }: RepositoryRequest): Label {
  const label = findLabel(repository, params['name'] ?? '');
  if (!label) throw notFound();
  return label;
}

function shown({ context, repository }: RepositoryRequest, label: Label): Answer {
  return ok(labelPayload(context, repository, label));
}

function refuseWrongColor(color: string): void {
  if (/^[0-9a-f]{6}$/.test(color)) return;
  throw new Refusal(422, 'Validation Failed', {
    errors: [{ resource: 'Label', code: 'invalid', field: 'color' }],
  });
}
