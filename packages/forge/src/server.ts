import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answers.ts';
import { answerRequest, type Outcome } from './api.ts';
import { type Context, timestamp } from './context.ts';
import type { Fault, Faults } from './faults.ts';
import { answerGit, type GitRequest, gitRequestIn, sendGit } from './git-http.ts';
import type { RequestLog } from './request-log.ts';
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
  const server = createServer((request, response) => {
    serve(serving, request, response).catch((error: unknown) => {
      serving.context.observers.log?.(
        `the forge failed: ${error instanceof Error ? error.stack : String(error)}`,
      );
      response.destroy();
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

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', serving.context.url);
  const path = url.pathname.replace(/^\/api\/v3(?=\/|$)/, '').replace(/^\/api(?=\/graphql$)/, '') || '/';
  const fault = await serving.faults.next(request.method ?? 'GET', path + url.search);
  const git = gitRequestIn(url);
  if (fault?.status !== undefined) return sendFault(serving, { request, response, fault, path, git });
  if (fault?.drop === 'before') {
    logDropped(serving, { request, path, git });
    response.destroy();
    return;
  }
  if (git) return serveGit(serving, { request, response, git, fault, path });
  if (path !== url.pathname || isApi(serving, request, path)) {
    return serveApi(serving, { request, response, url, path, fault });
  }
  await answerBrowser(serving.context, { request, response, url });
}

interface Handling {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  fault: Fault | undefined;
}

/** Without the prefix, browsers and programs share addresses; programs are known by route or method. */
function isApi({ router }: Serving, request: IncomingMessage, path: string): boolean {
  const wantsHtml = request.headers.accept?.includes('text/html') ?? false;
  return !wantsHtml && router(request.method ?? 'GET', path) !== undefined;
}

async function serveGit(serving: Serving, handling: Handling & { git: GitRequest }): Promise<void> {
  const { request, response, git, fault, path } = handling;
  const answer = await answerGit(serving.context, request, git);
  const status = fault?.drop === 'after' ? 0 : answer.status;
  serving.log.add({ ...logged(serving, request, path), route: 'git', status, actor: answer.actor });
  if (fault?.drop === 'after') response.destroy();
  else sendGit(response, answer);
}

async function serveApi(serving: Serving, handling: Handling & { url: URL }): Promise<void> {
  const { request, response, url, path, fault } = handling;
  const outcome = await answerRequest(serving.context, serving.router, {
    method: request.method ?? 'GET',
    path,
    query: url.searchParams,
    body: await bodyOf(request),
    headers: {
      authorization: request.headers.authorization,
      accept: request.headers.accept,
      if_none_match: request.headers['if-none-match'],
    },
    address: serving.context.url + url.pathname,
  });
  const { route, actor, answer } = outcome;
  const status = fault?.drop === 'after' ? 0 : answer.status;
  serving.log.add({ ...logged(serving, request, path), route, status, actor });
  notifyObserver(serving.context, request, { outcome, path });
  if (fault?.drop === 'after') response.destroy();
  else send(serving, response, outcome);
}

function notifyObserver(
  context: Context,
  request: IncomingMessage,
  { outcome, path }: { outcome: Outcome; path: string },
) {
  const { route, answer, request_body } = outcome;
  if (answer.text || answer.status === 304) return;
  context.observers.onExchange?.({
    method: request.method ?? 'GET',
    route,
    path,
    status: answer.status,
    requestBody: request_body,
    // As the client will see it: without what JSON leaves out.
    responseBody: answer.body === undefined ? undefined : JSON.parse(JSON.stringify(answer.body)),
  });
}

const hourlyLimit = 5000;

function send({ context, log }: Serving, response: ServerResponse, { answer, actor }: Outcome): void {
  const used = log.usedBy(actor);
  const headers: Record<string, string> = {
    date: context.now().toUTCString(),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': String(log.total),
    'x-ratelimit-limit': String(hourlyLimit),
    'x-ratelimit-remaining': String(Math.max(0, hourlyLimit - used)),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.floor(context.now().getTime() / 1000) + 3600),
    'x-ratelimit-resource': 'core',
    ...answer.headers,
  };
  const content = contentOf(answer);
  if (content) headers['content-type'] = content.type;
  response.writeHead(answer.status, headers);
  response.end(content?.text);
}

function contentOf(answer: Answer): { type: string; text: string } | undefined {
  if (answer.text) return { type: answer.text.type, text: answer.text.content };
  if (answer.body === undefined) return undefined;
  return { type: 'application/json; charset=utf-8', text: JSON.stringify(answer.body) };
}

interface Dropping {
  request: IncomingMessage;
  path: string;
  git: GitRequest | undefined;
}

function sendFault(
  serving: Serving,
  { response, fault, ...dropped }: Dropping & { response: ServerResponse; fault: Fault },
) {
  const status = fault.status ?? 500;
  logDropped(serving, dropped, status);
  const body = fault.body ?? { message: 'Server Error', documentation_url: '', status: String(status) };
  response.writeHead(status, {
    date: serving.context.now().toUTCString(),
    'content-type': 'application/json; charset=utf-8',
    ...fault.headers,
  });
  response.end(JSON.stringify(body));
}

function logDropped(serving: Serving, { request, path, git }: Dropping, status = 0): void {
  const route = git ? 'git' : (serving.router(request.method ?? 'GET', path)?.route.path ?? 'none');
  serving.log.add({ ...logged(serving, request, path), route, status, actor: 'unknown' });
}

function logged({ context }: Serving, request: IncomingMessage, path: string) {
  return { method: request.method ?? 'GET', path, time: timestamp(context) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
