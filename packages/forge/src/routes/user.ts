import type { UserActor } from '../actors.ts';
import { type Context, fullName } from '../context.ts';
import type { Installation, Json, Repository } from '../model.ts';
import { installationPayload, profilePayload } from '../payloads/accounts.ts';
import { repositoryPayload } from '../payloads/repositories.ts';
import { ownRole, permissionFlags, sees } from '../permissions.ts';
import { HttpError, ok } from '../responses.ts';
import { type ApiRequest, openRoute, page, pageOf, type Route } from '../router.ts';
import { thingIn } from './shared.ts';

/** What a token tells of its person: who they are, and what they may see. */
export const userRoutes: Route[] = [
  openRoute('GET /user', (request) => ok(profilePayload(request.context, userIn(request).account))),
  openRoute('GET /user/repos', (request) => {
    const { context } = request;
    const user = userIn(request);
    const found = repositoriesOf(user, context.store.data.repositories);
    const byName = found.toSorted((left, right) =>
      fullName(context, left) < fullName(context, right) ? -1 : 1,
    );
    return page(byName, (one) => shownTo(context, user, one));
  }),
  openRoute('GET /user/installations', (request) => {
    const { context } = request;
    const found = installationsOf(request);
    return pageOf(found, async (shown) => ({
      total_count: found.length,
      installations: shown.map((one) => installationPayload(context, one)),
    }));
  }),
  openRoute('GET /user/installations/{installation_id}/repositories', (request) => {
    const { context } = request;
    const user = userIn(request);
    const installation = thingIn(request, installationsOf(request), 'installation_id');
    const found = repositoriesOf(user, repositoriesIn(context, installation));
    return pageOf(found, async (shown) => ({
      total_count: found.length,
      repository_selection: 'selected',
      repositories: shown.map((one) => shownTo(context, user, one)),
    }));
  }),
];

function userIn({ actor }: ApiRequest): UserActor {
  if (actor.kind === 'user') return actor;
  if (actor.kind === 'anonymous') throw new HttpError(401, 'Requires authentication');
  throw new HttpError(403, 'Resource not accessible by integration');
}

/** The installations of the token's App in which the person has a repository of their own or by a role. */
function installationsOf(request: ApiRequest): Installation[] {
  const user = userIn(request);
  if (user.via === null)
    throw new HttpError(
      403,
      'You must authenticate with an access token authorized to a GitHub App in order to list installations',
    );
  return user.via.installations.filter(
    (one) => repositoriesOf(user, repositoriesIn(request.context, one)).length > 0,
  );
}

function repositoriesIn({ store }: Context, { repository_ids }: Installation): Repository[] {
  return repository_ids.map((id) => store.repository(id));
}

/** Only what the person was given: what everybody may read is no part of such lists. */
function repositoriesOf(user: UserActor, repositories: Repository[]): Repository[] {
  return repositories.filter((one) => ownRole(user.account, one) !== undefined && sees(user, one));
}

function shownTo(context: Context, { account }: UserActor, repository: Repository): Json {
  return {
    ...repositoryPayload(context, repository),
    permissions: permissionFlags(ownRole(account, repository)),
  };
}
