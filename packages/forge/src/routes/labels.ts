import type { Label } from '../model.ts';
import { findLabel } from '../operations/issues.ts';
import { page } from '../pagination.ts';
import { labelPayload } from '../payloads/issues.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('write', { issues: 'write' }, { pull_requests: 'write' });

export const labelRoutes: Route[] = [
  repositoryRoute('GET /labels', read, (request) =>
    page(request, request.repository.labels, (label) =>
      labelPayload(request.context, request.repository, label),
    ),
  ),
  repositoryRoute('POST /labels', write, (request) => {
    const { context, repository, input } = request;
    const name = input.requiredText('name');
    if (findLabel(repository, name)) {
      throw new HttpError(422, 'Validation Failed', {
        errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
      });
    }
    const color = (input.text('color') ?? 'ededed').toLowerCase();
    requireColor(color);
    const label: Label = {
      id: context.store.id(),
      name,
      color,
      description: input.text('description') ?? null,
    };
    repository.labels.push(label);
    return created(labelPayload(context, repository, label));
  }),
  repositoryRoute('GET /labels/{name}', read, (request) => labelResponse(request, labelIn(request))),
];

function labelIn({ repository, params }: RepositoryRequest): Label {
  const label = findLabel(repository, params['name'] ?? '');
  if (!label) throw notFound();
  return label;
}

function labelResponse({ context, repository }: RepositoryRequest, label: Label): ApiResponse {
  return ok(labelPayload(context, repository, label));
}

function requireColor(color: string): void {
  if (/^[0-9a-f]{6}$/.test(color)) return;
  throw new HttpError(422, 'Validation Failed', {
    errors: [{ resource: 'Label', code: 'invalid', field: 'color' }],
  });
}
