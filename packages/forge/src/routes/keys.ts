import type { Json } from '../json.ts';
import type { DeployKey } from '../model.ts';
import { page } from '../pagination.ts';
import { apiLink } from '../payloads/links.ts';
import { atLeast, needs, roleOf } from '../permissions.ts';
import { notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { numberOf } from './shared.ts';

const read = needs('read', { administration: 'read' });

export const keyRoutes: Route[] = [
  repositoryRoute('GET /keys', read, (request) => {
    requireAdministrator(request);
    return page(request, request.repository.deploy_keys, (key) => keyPayload(request, key));
  }),
  repositoryRoute('GET /keys/{key_id}', read, (request) => {
    requireAdministrator(request);
    const id = numberOf(request.params['key_id']);
    const key = request.repository.deploy_keys.find((one) => one.id === id);
    if (!key) throw notFound();
    return ok(keyPayload(request, key));
  }),
];

/** To other people there are no keys, not even that they are forbidden. */
function requireAdministrator({ actor, repository }: RepositoryRequest): void {
  if (actor.kind === 'installation') return;
  if (actor.kind !== 'user' || !atLeast(roleOf(actor.account, repository), 'admin')) throw notFound();
}

function keyPayload({ context, repository }: RepositoryRequest, deployKey: DeployKey): Json {
  const { id, title, key, read_only, added_by_id, created_at } = deployKey;
  return {
    id,
    key,
    url: apiLink(context, repository, `/keys/${id}`),
    title,
    verified: true,
    created_at,
    read_only,
    added_by: context.store.account(added_by_id).login,
    last_used: null,
    enabled: true,
  };
}
