import { isExpired } from '../actors.ts';
import { issueToken } from '../apps.ts';
import type { App, Delivery, Installation, Json, Level, Permissions, Token } from '../model.ts';
import { revokeGrant } from '../oauth/grants.ts';
import { appPayload, installationPayload } from '../payloads/accounts.ts';
import { repositoryPayload } from '../payloads/repositories.ts';
import { covers } from '../permissions.ts';
import { created, HttpError, invalidRequest, noContent, notFound, ok } from '../responses.ts';
import {
  type ApiRequest,
  type AppRequest,
  appRoute,
  cursorPage,
  openRoute,
  page,
  pageOf,
  type Route,
} from '../router.ts';
import { thingIn } from './shared.ts';

export const appRoutes: Route[] = [
  appRoute('GET /app', ({ context, app }) =>
    ok({ ...appPayload(context, app), installations_count: installationsOf({ context, app }).length }),
  ),
  appRoute('GET /app/installations', (request) =>
    page(installationsOf(request), (one) => installationPayload(request.context, one)),
  ),
  appRoute('POST /app/installations/{installation_id}/access_tokens', (request) => {
    const { context } = request;
    const installation = thingIn(request, installationsOf(request), 'installation_id');
    const permissions = permissionsIn(request, installation);
    const repository_ids = repositoriesIn(request, installation);
    const expires_at = new Date(context.now().getTime() + lifetimeMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const { token } = issueToken(context, 'ghs', {
      account_id: request.app.bot_id,
      installation_id: installation.id,
      permissions: request.input.has('permissions') ? permissions : null,
      repository_ids,
      expires_at,
    });
    const shown = repository_ids?.map((id) => repositoryPayload(context, context.store.repository(id)));
    return created({
      token,
      expires_at,
      permissions: { metadata: 'read', ...permissions },
      repository_selection: 'selected',
      ...(shown ? { repositories: shown } : {}),
    });
  }),
  appRoute('GET /repos/{owner}/{repo}/installation', (request) => {
    const { context, params } = request;
    const repository = context.store.repositoryNamed(params['owner'] ?? '', params['repo'] ?? '');
    const installation = installationsOf(request).find(
      (one) => repository && one.repository_ids.includes(repository.id),
    );
    if (!installation) throw notFound();
    return ok(installationPayload(context, installation));
  }),
  openRoute('GET /installation/repositories', ({ actor, context }) => {
    if (actor.kind !== 'installation')
      throw new HttpError(
        403,
        'You must authenticate with an installation access token in order to list repositories',
      );
    const repositories = actor.repository_ids.map((id) => context.store.repository(id));
    return pageOf(repositories, async (shown) => ({
      total_count: repositories.length,
      repository_selection: 'selected',
      repositories: shown.map((repository) => repositoryPayload(context, repository)),
    }));
  }),
  appRoute('GET /app/hook/config', ({ app }) => {
    return ok({ url: app.webhook_url, content_type: 'json', insecure_ssl: '0', secret: '********' });
  }),
  /** Newest first; the `Link` header has a cursor to the next page. */
  appRoute('GET /app/hook/deliveries', (request) => {
    const status = request.query.get('status');
    const deliveries = deliveriesOf(request)
      .filter((one) => status === null || (status === 'success') === one.status_code < 400)
      .reverse();
    return cursorPage(request, deliveries, deliverySummary, 'cursor');
  }),
  appRoute('GET /app/hook/deliveries/{delivery_id}', (request) => {
    const delivery = thingIn(request, deliveriesOf(request), 'delivery_id');
    const { request: sent, response } = delivery;
    return ok({ ...deliverySummary(delivery), url: request.app.webhook_url, request: sent, response });
  }),
  openRoute('DELETE /applications/{client_id}/token', (request) => {
    const { data } = request.context.store;
    const { token } = clientTokenIn(request);
    data.tokens = data.tokens.filter((one) => one !== token);
    return noContent();
  }),
  openRoute('DELETE /applications/{client_id}/grant', (request) => {
    const { app, token } = clientTokenIn(request);
    revokeGrant(request.context, app, request.context.store.account(token.account_id));
    return noContent();
  }),
];

/** The token that an App names, with which it acts as a person; to others there is no such client. */
function clientTokenIn({ context, actor, params, input }: ApiRequest): { app: App; token: Token } {
  const app = actor.kind === 'anonymous' ? actor.client : undefined;
  if (app?.client_id !== params['client_id']) throw notFound();
  const named = input.requiredText('access_token');
  const token = context.store.data.tokens.find((one) => one.token === named && one.via_app_id === app?.id);
  if (!app || !token || isExpired(context, token)) throw notFound();
  return { app, token };
}

const lifetimeMs = 60 * 60 * 1000;

function permissionsIn({ input }: AppRequest, installation: Installation): Permissions {
  const asked = input.object('permissions')?.fields;
  if (!asked) return installation.permissions;
  const permissions: Permissions = {};
  for (const [name, level] of Object.entries(asked)) {
    if (!isLevel(level)) throw invalidRequest(`${JSON.stringify(level)} is not a level of access.`);
    permissions[name] = level;
  }
  if (covers(installation.permissions, permissions)) return permissions;
  throw new HttpError(422, 'The permissions requested are not granted to this installation.');
}

function isLevel(level: unknown): level is Level {
  return level === 'read' || level === 'write' || level === 'admin';
}

/** The requested repositories, by name or id; null means all of the installation. */
function repositoriesIn({ context, input }: AppRequest, installation: Installation): number[] | null {
  const ids = input.list('repository_ids');
  const names = input.texts('repositories');
  if (!ids && !names) return null;
  const covered = installation.repository_ids.map((id) => context.store.repository(id));
  const chosen = covered.filter(({ id, name }) => ids?.includes(id) || names?.includes(name));
  if (chosen.length === (ids?.length ?? 0) + (names?.length ?? 0)) return chosen.map(({ id }) => id);
  throw new HttpError(
    422,
    'There is at least one repository that does not exist or is not accessible to the parent installation.',
  );
}

function installationsOf({ context, app }: { context: AppRequest['context']; app: App }): Installation[] {
  return context.store.data.installations.filter((one) => one.app_id === app.id);
}

const retentionMs = 3 * 24 * 60 * 60 * 1000;

/** The finished deliveries of the last three days. */
function deliveriesOf({ context, app }: AppRequest): Delivery[] {
  const oldest = context.now().getTime() - retentionMs;
  return context.store.data.deliveries.filter(
    (one) => one.app_id === app.id && one.status !== 'pending' && Date.parse(one.delivered_at) >= oldest,
  );
}

function deliverySummary({ app_id: _, request: __, response: ___, ...summary }: Delivery): Json {
  return { ...summary, throttled_at: null };
}
