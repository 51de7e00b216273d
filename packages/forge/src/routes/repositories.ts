import { accountPayload, profilePayload } from '../payloads/accounts.ts';
import { repositoryDetails } from '../payloads/repositories.ts';
import { needs, roleOf } from '../permissions.ts';
import { type ApiResponse, HttpError, notFound, ok } from '../responses.ts';
import {
  type ApiRequest,
  openRoute,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
} from '../router.ts';

const metadata = needs('read', { metadata: 'read' });

export const repositoryRoutes: Route[] = [
  repositoryRoute('GET /', metadata, (request) => ok(withPermissions(request))),
  openRoute('GET /user', ({ context, actor }) => {
    if (actor.kind === 'anonymous') throw new HttpError(401, 'Requires authentication');
    if (actor.kind === 'user') return ok(profilePayload(context, actor.account));
    throw new HttpError(403, 'Resource not accessible by integration');
  }),
  openRoute('GET /users/{username}', user),
  repositoryRoute(
    'GET /collaborators/{username}/permission',
    needs('write', { metadata: 'read' }),
    ({ context, repository, params }) => {
      const account = context.store.accountNamed(params['username'] ?? '');
      if (!account) throw new HttpError(404, `${params['username']} is not a user`);
      const role = roleOf(account, repository);
      const role_name = role ?? 'none';
      return ok({
        permission: role === undefined ? 'none' : permissionWords[role],
        role_name,
        user: { ...accountPayload(context, account), permissions: permissionFlags(role), role_name },
      });
    },
  ),
];

/** A repository's payload contains the caller's permissions. */
function withPermissions({ context, repository, actor }: RepositoryRequest) {
  if (actor.kind !== 'user') return repositoryDetails(context, repository);
  const role = roleOf(actor.account, repository);
  return { ...repositoryDetails(context, repository), permissions: permissionFlags(role) };
}

function permissionFlags(role: string | undefined) {
  const rank = ['read', 'triage', 'write', 'maintain', 'admin'].indexOf(role ?? '');
  return { admin: rank >= 4, maintain: rank >= 3, push: rank >= 2, triage: rank >= 1, pull: rank >= 0 };
}

function user({ context, params }: ApiRequest): ApiResponse {
  const account = context.store.accountNamed(params['username'] ?? '');
  if (!account) throw notFound();
  return ok(profilePayload(context, account));
}

/** The legacy permission for each role: maintain is write, triage is read. */
const permissionWords = { read: 'read', triage: 'read', write: 'write', maintain: 'write', admin: 'admin' };
