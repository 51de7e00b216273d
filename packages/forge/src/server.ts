import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleApi, toForgeResponse } from './api.ts';
import { attachmentAt } from './attachments.ts';
import { type Context, timestamp } from './context.ts';
import { gitRequestIn, handleGit } from './git-http.ts';
import { exchangeCode } from './oauth/access-token.ts';
import { advanceQueues } from './operations/merge-queue.ts';
import type { RequestLog } from './request-log.ts';
import { apiPath, bodyOf, type ForgeRequest, type ForgeResponse, type HandledRequest } from './requests.ts';
import { notFound } from './responses.ts';
import type { Router } from './router.ts';
import type { Website } from './website/website.ts';

/** What the server needs to handle requests. */
interface ServerParts {
  context: Context;
  router: Router;
  log: RequestLog;
  /** What browsers see. */
  website: Website | undefined;
  /** Whether a browser may see and use pages. */
  admits(headers: IncomingHttpHeaders): boolean;
}

/** Listens on loopback; calls `listening` with the port before it accepts the first request. */
export function listen(parts: ServerParts, port: number, listening: (port: number) => void): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    serve(parts, incoming, outgoing).catch((error: unknown) => {
      parts.context.observers.log?.(
        `the forge failed: ${error instanceof Error ? error.stack : String(error)}`,
      );
      outgoing.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      // A server that listens on a port has an address object.
      listening((server.address() as AddressInfo).port);
      resolve(server);
    });
  });
}

/** First the hook runs, then the injected faults, then the forge. */
async function serve(parts: ServerParts, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { observers } = parts.context;
  const url = new URL(incoming.url ?? '/', parts.context.url);
  const request = await readRequest(parts, incoming, url);
  let handled: HandledRequest | undefined;
  const run = async () => {
    handled = await handle(parts, request, url);
    return handled.response;
  };
  const faulty = () => parts.context.faults.apply(request, run);
  const reply = await (observers.onRequest ? observers.onRequest(request, faulty) : faulty());
  logRequest(parts, request, { url, handled, status: reply === 'drop' ? 0 : reply.status });
  if (reply === 'drop') outgoing.destroy();
  else send(parts, outgoing, reply, request.kind === 'api' ? handled?.actor : undefined);
}

async function readRequest(parts: ServerParts, incoming: IncomingMessage, url: URL): Promise<ForgeRequest> {
  const { method = 'GET', headers } = incoming;
  const isApi = apiPath(url) !== url.pathname || isApiWithoutPrefix(parts, incoming, url);
  const kind = gitRequestIn(url) ? 'git' : isApi ? 'api' : 'page';
  return { kind, method, path: apiPath(url) + url.search, headers, body: await bodyOf(incoming) };
}

/** Without the prefix, pages and the API share paths; a request for HTML is a page. */
function isApiWithoutPrefix(
  { router }: ServerParts,
  { method, headers }: IncomingMessage,
  url: URL,
): boolean {
  const wantsHtml = headers.accept?.includes('text/html') ?? false;
  return !wantsHtml && router(method ?? 'GET', url.pathname) !== undefined;
}

/**
 * Merge queues go on before each request, because time has passed, and after each that may have changed
 * something, so that whoever made it sees what came of it.
 */
async function handle(parts: ServerParts, request: ForgeRequest, url: URL): Promise<HandledRequest> {
  await advanceQueues(parts.context);
  const handled = await respond(parts, request, url);
  if (request.method !== 'GET') await advanceQueues(parts.context);
  return handled;
}

function respond(parts: ServerParts, request: ForgeRequest, url: URL): Promise<HandledRequest> {
  switch (request.kind) {
    case 'api':
      return handleApi(parts.context, parts.router, { request, url });
    case 'git':
      return handleGit(parts.context, request, url);
    case 'page':
      return handlePage(parts, request, url);
  }
}

/** If a hook or a fault responded, no route ran; then the log has the route of the path. */
function logRequest(
  parts: ServerParts,
  { kind, method }: ForgeRequest,
  { url, handled, status }: { url: URL; handled: HandledRequest | undefined; status: number },
): void {
  if (kind === 'page' && handled) return;
  const path = apiPath(url);
  const meant = kind === 'git' ? 'git' : (parts.router(method, path)?.route.path ?? 'none');
  const { route, actor } = handled ?? { route: meant, actor: 'unknown' };
  parts.log.add({ method, path, route, status, actor, time: timestamp(parts.context) });
}

function send(
  parts: ServerParts,
  outgoing: ServerResponse,
  { status, headers, body }: ForgeResponse,
  actor: string | undefined,
): void {
  const limits = actor === undefined ? {} : limitHeaders(parts, actor);
  const date = parts.context.now().toUTCString();
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { date, ...length, ...limits, ...headers });
  outgoing.end(body);
}

const hourlyLimit = 5000;

function limitHeaders({ context, log }: ServerParts, actor: string): Record<string, string> {
  const used = log.usedBy(actor);
  return {
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': String(log.total),
    'x-ratelimit-limit': String(hourlyLimit),
    'x-ratelimit-remaining': String(Math.max(0, hourlyLimit - used)),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.floor(context.now().getTime() / 1000) + 3600),
    'x-ratelimit-resource': 'core',
  };
}

/** Serves browsers: files of texts, signing in at Apps, and the website if there is one. */
async function handlePage(parts: ServerParts, request: ForgeRequest, url: URL): Promise<HandledRequest> {
  const { context, website } = parts;
  const file = request.method === 'GET' ? attachmentAt(context, url) : undefined;
  const open = file ?? (await signInAnswer(parts, request, url));
  const response = open ?? (website ? await website(request, url) : toForgeResponse(notFound().toResponse()));
  return { response, route: 'none', actor: 'anonymous' };
}

/** What belongs to signing in at an App. The page is loaded only if somebody opens it: most tests do not. */
async function signInAnswer(
  { context, admits }: ServerParts,
  request: ForgeRequest,
  url: URL,
): Promise<ForgeResponse | undefined> {
  if (url.pathname === '/login/oauth/access_token' && request.method === 'POST')
    return exchangeCode(context, request);
  if (url.pathname !== '/login/oauth/authorize') return undefined;
  const { answerAuthorization } = await import('./oauth/authorize.ts');
  return answerAuthorization({ context, admits }, request, url);
}
