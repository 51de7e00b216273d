import { createHash } from 'node:crypto';
import { type Actor, authenticate, nameOf } from './actors.ts';
import { type Context, fullName, gitOf } from './context.ts';
import { Input } from './input.ts';
import type { Json } from './model.ts';
import { authorOf } from './operations/issues.ts';
import { requireAccess, sees } from './permissions.ts';
import { apiPath, type ForgeRequest, type ForgeResponse, type HandledRequest } from './requests.ts';
import { type ApiResponse, HttpError, notFound } from './responses.ts';
import { type ApiRequest, type Match, type Router, responseFor } from './router.ts';

/** An API request and its URL. */
interface Sent {
  request: ForgeRequest;
  url: URL;
}

/** Handles one API request: authenticates it, checks its permissions and runs its route. */
export async function handleApi(context: Context, router: Router, sent: Sent): Promise<HandledRequest> {
  const { method, headers } = sent.request;
  const handled = { route: 'none', actor: 'anonymous' };
  let body: unknown;
  const respond = async (): Promise<ApiResponse> => {
    const match = router(method === 'HEAD' ? 'GET' : method, namedPath(context, sent.url));
    handled.route = match?.route.path ?? 'none';
    const actor = authenticate(context, headers.authorization);
    handled.actor = nameOf(actor);
    body = parsedBody(sent.request.body.toString('utf8'));
    if (!match) throw notFound();
    const moved = movedTo(context, actor, { params: match.params, url: sent.url });
    if (moved !== undefined) return redirect(method, moved);
    const request = requestFrom(context, sent, { actor, match, body });
    return withEtag(await runRoute(request, match), sent.request);
  };
  const response = await respond().catch((error: unknown) => errorResponse(context, error));
  notifyObserver(context, sent, { response, route: handled.route, body });
  return { ...handled, response: toForgeResponse(response) };
}

/** A repository also has its paths by its id, where those of its former names lead. */
function namedPath(context: Context, url: URL): string {
  const path = apiPath(url);
  const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const repository = context.store.data.repositories.find((one) => String(one.id) === id);
  return repository ? `/repos/${fullName(context, repository)}${rest}` : path;
}

/** Where a path of a former name leads those who see the repository. */
function movedTo(
  context: Context,
  actor: Actor,
  { params, url }: { params: Match['params']; url: URL },
): string | undefined {
  const { owner = '', repo = '' } = params;
  if (context.store.repositoryNamed(owner, repo)) return undefined;
  const repository = context.store.repositoryOnceNamed(owner, repo);
  if (!repository || (actor.kind !== 'app' && !sees(actor, repository))) return undefined;
  const rest = apiPath(url).replace(/^\/repos\/[^/]+\/[^/]+/, '');
  return `${context.apiUrl}/repositories/${repository.id}${rest}${url.search}`;
}

/** A client repeats by itself what only reads, and anything else with the same method. */
function redirect(method: string, location: string): ApiResponse {
  const status = ['GET', 'HEAD'].includes(method) ? 301 : 307;
  const documentation_url =
    'https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api';
  const body = { message: 'Moved Permanently', url: location, documentation_url };
  return { status, headers: { location }, body };
}

/**
 * Does what the API does for somebody who is known already; `path` is as after `/api/v3`, such as
 * `/repos/ada/widgets/issues`. Returns the body of the response, or throws GitHub's error.
 */
export async function performAs(
  context: Context,
  router: Router,
  { actor, method, path, body }: { actor: Actor; method: string; path: string; body?: Json | undefined },
): Promise<unknown> {
  const url = new URL(context.apiUrl + path);
  const match = router(method, apiPath(url));
  if (!match) throw notFound();
  const request = { kind: 'api', method, path, headers: {}, body: Buffer.alloc(0) } as const;
  const response = await runRoute(requestFrom(context, { request, url }, { actor, match, body }), match);
  return response.body;
}

function requestFrom(
  context: Context,
  { request, url }: Sent,
  { actor, match, body }: { actor: Actor; match: Match; body: unknown },
): ApiRequest {
  return {
    context,
    actor,
    params: match.params,
    query: url.searchParams,
    input: new Input(body),
    accept: request.headers.accept ?? '',
    address: context.url + url.pathname,
  };
}

async function runRoute(request: ApiRequest, match: Match): Promise<ApiResponse> {
  const result = await resultOf(request, match);
  return 'show' in result ? responseFor(request, result) : result;
}

function resultOf(request: ApiRequest, { route }: Match) {
  const { context, actor, params } = request;
  switch (route.for) {
    case 'anyone':
      return route.run(request);
    case 'app':
      if (actor.kind !== 'app') throw new HttpError(401, 'A JSON web token could not be decoded');
      return route.run({ ...request, app: actor.app });
    case 'repository': {
      const repository = context.store.repositoryNamed(params['owner'] ?? '', params['repo'] ?? '');
      if (!repository) throw notFound();
      requireAccess(actor, { repository, needs: route.needs });
      const git = gitOf(context, repository);
      return route.run({
        ...{ ...request, repository, git },
        get author() {
          return authorOf(actor);
        },
        get sender_id() {
          return authorOf(actor).user_id;
        },
      });
    }
  }
}

/** Adds an ETag; a conditional request for an unchanged resource gets a 304, which is not counted. */
function withEtag(response: ApiResponse, { method, headers: sent }: ForgeRequest): ApiResponse {
  if (method !== 'GET' || response.status !== 200) return response;
  const content = response.text?.content ?? JSON.stringify(response.body);
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  const headers = { ...response.headers, etag };
  const known = (sent['if-none-match'] ?? '').split(/,\s*/);
  return known.includes(etag) ? { status: 304, headers } : { ...response, headers };
}

function parsedBody(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new HttpError(400, 'Problems parsing JSON'), { cause });
  }
}

function errorResponse(context: Context, error: unknown): ApiResponse {
  if (error instanceof HttpError) return error.toResponse();
  context.observers.log?.(`the forge failed: ${error instanceof Error ? error.stack : String(error)}`);
  return new HttpError(500, 'Server Error').toResponse();
}

function notifyObserver(
  context: Context,
  { request, url }: Sent,
  { response, route, body }: { response: ApiResponse; route: string; body: unknown },
): void {
  if (response.text || response.status === 304) return;
  context.observers.onExchange?.({
    method: request.method,
    route,
    path: apiPath(url),
    status: response.status,
    requestBody: body,
    // As the client sees it: without properties that JSON omits.
    responseBody: response.body === undefined ? undefined : JSON.parse(JSON.stringify(response.body)),
  });
}

export function toForgeResponse({ status, body, text, headers = {} }: ApiResponse): ForgeResponse {
  if (text) return { status, headers: { ...headers, 'content-type': text.type }, body: text.content };
  if (body === undefined) return { status, headers, body: '' };
  const type = 'application/json; charset=utf-8';
  return { status, headers: { ...headers, 'content-type': type }, body: JSON.stringify(body) };
}
