import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerApi } from './api.ts';
import { type Context, timestamp } from './context.ts';
import type { Faults } from './faults.ts';
import { answerGit, gitRequestIn } from './git-http.ts';
import type { RequestLog } from './request-log.ts';
import { apiPath, bodyOf, type ForgeRequest, type ForgeResponse, type Handled } from './requests.ts';
import type { Router } from './router.ts';
import { answerBrowser } from './web.ts';

/** What the server serves. */
export interface Serving {
  context: Context;
  router: Router;
  log: RequestLog;
  faults: Faults;
}

/** Starts listening on loopback; the port is given to `listening` before the first request is taken. */
export function listen(serving: Serving, port: number, listening: (port: number) => void): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    serve(serving, incoming, outgoing).catch((error: unknown) => {
      serving.context.observers.log?.(
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

/** The hook comes first, then the faults that were asked for, then the forge itself. */
async function serve(serving: Serving, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { observers } = serving.context;
  const url = new URL(incoming.url ?? '/', serving.context.url);
  const request = await received(serving, incoming, url);
  let handled: Handled | undefined;
  const handle = async () => {
    handled = await carriedOut(serving, request, url);
    return handled.response;
  };
  const faulty = () => serving.faults.apply(request, handle);
  const reply = await (observers.onRequest ? observers.onRequest(request, faulty) : faulty());
  logRequest(serving, request, { url, handled, status: reply === 'drop' ? 0 : reply.status });
  if (reply === 'drop') outgoing.destroy();
  else send(serving, outgoing, { request, reply, handled });
}

async function received(serving: Serving, incoming: IncomingMessage, url: URL): Promise<ForgeRequest> {
  const { method = 'GET', headers } = incoming;
  const isApi = apiPath(url) !== url.pathname || isApiWithoutPrefix(serving, incoming, url);
  const kind = gitRequestIn(url) ? 'git' : isApi ? 'api' : 'page';
  return { kind, method, path: apiPath(url) + url.search, headers, body: await bodyOf(incoming) };
}

/** Without the prefix, browsers and programs share addresses; programs are known by route or method. */
function isApiWithoutPrefix({ router }: Serving, { method, headers }: IncomingMessage, url: URL): boolean {
  const wantsHtml = headers.accept?.includes('text/html') ?? false;
  return !wantsHtml && router(method ?? 'GET', url.pathname) !== undefined;
}

function carriedOut({ context, router }: Serving, request: ForgeRequest, url: URL): Promise<Handled> {
  switch (request.kind) {
    case 'api':
      return answerApi(context, router, { request, url });
    case 'git':
      return answerGit(context, request, url);
    case 'page':
      return answerBrowser(context, request, url);
  }
}

interface Ended {
  url: URL;
  handled: Handled | undefined;
  status: number;
}

/** What a hook or a fault answered has no route of its own; the log names the one it was meant for. */
function logRequest(serving: Serving, request: ForgeRequest, { url, handled, status }: Ended): void {
  const { kind, method } = request;
  if (kind === 'page' && handled) return;
  const path = apiPath(url);
  const meant = kind === 'git' ? 'git' : (serving.router(method, path)?.route.path ?? 'none');
  const { route, actor } = handled ?? { route: meant, actor: 'unknown' };
  serving.log.add({ method, path, route, status, actor, time: timestamp(serving.context) });
}

interface Sending {
  request: ForgeRequest;
  reply: ForgeResponse;
  handled: Handled | undefined;
}

function send(serving: Serving, outgoing: ServerResponse, { request, reply, handled }: Sending): void {
  const limits = request.kind === 'api' && handled ? limitHeaders(serving, handled.actor) : {};
  const date = serving.context.now().toUTCString();
  const length = reply.body === '' ? {} : { 'content-length': Buffer.byteLength(reply.body) };
  outgoing.writeHead(reply.status, { date, ...length, ...limits, ...reply.headers });
  outgoing.end(reply.body);
}

const hourlyLimit = 5000;

function limitHeaders({ context, log }: Serving, actor: string): Record<string, string> {
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
