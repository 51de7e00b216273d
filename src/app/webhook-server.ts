import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import createDebug from 'debug';
import { type Delivery, type KnownRuns, readDelivery } from '../github/events/delivery.ts';
import { ByteBudget, isSameSecret, readBytes, refuse, TooBusy, TooLarge } from '../http/incoming-request.ts';

const debug = createDebug('coxswain:listen');

export interface WebhookServerOptions extends Address {
  readonly secret: string;
  /** What tells deliveries about runs apart from all others. */
  readonly runs: () => KnownRuns;
  /** Resolves when the delivery is recorded. */
  receive(delivery: Delivery): Promise<void>;
  /** The response of `/healthz`; `ok: false` makes it a 503. */
  health(): { readonly ok: boolean };
  /** Handles all other requests; returns false for unknown ones. */
  other?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  onFault(fault: unknown, delivery: Delivery): void;
  /** How long GitHub waits for an event to be recorded, in milliseconds; it gives up after 10 s. */
  readonly responseTimeoutMs?: number;
  /** How long a request may take to arrive, in milliseconds. */
  readonly requestTimeoutMs?: number;
  /** How many bytes the bodies that are being read may hold together. */
  readonly maxHeldBytes?: number;
}

export interface WebhookServer {
  readonly url: string;
  /** Stops listening and lets current requests finish. */
  close(): Promise<void>;
}

export const webhookPath = '/api/github/webhooks';

/** GitHub never sends more than this. */
const maxBytes = 25 * 1024 * 1024;

/** Enough for one of the largest and many others; GitHub's are a few kilobytes as a rule. */
const usualHeldBytes = 100 * 1024 * 1024;

/** When to send again what was too much at once, in seconds. GitHub does not; the sweep finds it. */
const retryAfter = '5';

/**
 * Listens for webhooks in front of Probot. Most deliveries of a busy organization are irrelevant to us; they
 * are answered without creating a client or waiting for a handler, as Probot would.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { requestTimeoutMs: requestTimeout, maxHeldBytes = usualHeldBytes } = options;
  const serving = { ...options, budget: new ByteBudget(maxHeldBytes) };
  return startHttpServer(
    (request, response) => {
      answer(request, response, serving).catch((fault: unknown) => fail(response, fault));
    },
    options,
    requestTimeout === undefined ? {} : { requestTimeout, headersTimeout: requestTimeout },
  );
}

interface Serving extends WebhookServerOptions {
  readonly budget: ByteBudget;
}

async function answer(request: IncomingMessage, response: ServerResponse, options: Serving): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path === webhookPath) return answerDelivery(request, response, options);
  if (path === '/healthz') {
    const health = options.health();
    return end(response, health.ok ? 200 : 503, health);
  }
  if (await options.other?.(request, response)) return;
  end(response, 404, { message: 'not found' });
}

async function answerDelivery(
  request: IncomingMessage,
  response: ServerResponse,
  options: Serving,
): Promise<void> {
  const objection = objectionTo(request);
  if (objection !== undefined) return refuse(request, response, objection.status, objection.message);
  const body = await readBytes(request, { maxBytes, budget: options.budget }).catch((fault: unknown) => {
    if (fault instanceof TooLarge || fault instanceof TooBusy) return fault;
    throw fault;
  });
  if (body instanceof TooLarge) return refuse(request, response, 413, body.message);
  if (body instanceof TooBusy)
    return refuse(request, response, 503, body.message, { 'retry-after': retryAfter });
  if (!isSigned(request, body, options.secret)) {
    return end(response, 401, { message: wrongSignature });
  }
  const delivery = deliveryIn(request, body, options.runs());
  if (delivery === 'not JSON') return end(response, 400, { message: 'the body is not JSON' });
  if (delivery === undefined) {
    debug('%s %s: it concerns no run', eventOf(request), header(request, 'x-github-delivery'));
    return end(response, 200, { message: 'ignored' });
  }
  await receive(delivery, response, options);
}

const wrongSignature = 'the signature does not match the webhook secret';

/** What is wrong with a request before anything of its body is read. */
function objectionTo(request: IncomingMessage): { status: number; message: string } | undefined {
  if (request.method !== 'POST') return { status: 405, message: 'send webhooks with POST' };
  if (!isJson(request))
    return { status: 415, message: 'set the content type of the webhook to application/json' };
  const isShaped = /^sha256=[0-9a-f]{64}$/.test(header(request, 'x-hub-signature-256'));
  return isShaped ? undefined : { status: 401, message: wrongSignature };
}

function eventOf(request: IncomingMessage): string {
  return header(request, 'x-github-event');
}

/** Undefined if it is irrelevant to us. */
function deliveryIn(
  request: IncomingMessage,
  body: Buffer,
  runs: KnownRuns,
): Delivery | undefined | 'not JSON' {
  const id = header(request, 'x-github-delivery');
  try {
    return readDelivery({ id, name: eventOf(request) }, body, runs);
  } catch (fault) {
    if (fault instanceof SyntaxError) return 'not JSON';
    throw fault;
  }
}

/** 200: recorded. 202: still being recorded. 503: failed, and the sweep will retry it. */
async function receive(
  delivery: Delivery,
  response: ServerResponse,
  options: WebhookServerOptions,
): Promise<void> {
  const { receive, onFault, responseTimeoutMs = 8000 } = options;
  const received = receive(delivery).then(
    () => ({ status: 200, message: 'recorded' }),
    (fault: unknown) => {
      onFault(fault, delivery);
      return { status: 503, message: 'not recorded; it will be retried' };
    },
  );
  const isInTime = await endsWithin(responseTimeoutMs, received);
  const { status, message } = isInTime ? await received : { status: 202, message: 'still being recorded' };
  end(response, status, { message });
}

/** Verifies the raw bytes: `@octokit/webhooks-methods` needs text, and decoding would double the cost. */
function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return body.length > 0 && isSameSecret(header(request, 'x-hub-signature-256'), expected);
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\b/i.test(header(request, 'content-type'));
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

function end(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  const text = JSON.stringify(body);
  // With a content length, the answer is sent in one piece.
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  response.end(text);
}

function fail(response: ServerResponse, fault: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else end(response, 500, { message: fault instanceof Error ? fault.message : 'failed' });
}

/** Where to listen. */
interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/**
 * How much strangers can take of the process: GitHub gives up after 10 s, so no request may take much longer
 * to arrive. More connections are closed at once.
 */
const bounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

const maxConnections = 1000;

/** An HTTP server within these bounds, and its address as a URL. */
async function startHttpServer(
  listener: RequestListener,
  { host, port }: Address,
  changed: Partial<typeof bounds> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer({ ...bounds, ...changed }, listener);
  server.maxConnections = maxConnections;
  await listen(server, { host, port });
  const address = server.address() as AddressInfo; // always the case for a server that listens on TCP
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${address.port}`, close: () => close(server) };
}

function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(explain(cause, host, port)));
    server.listen(port, host, resolve);
  });
}

function explain(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const what = `could not listen on ${host}:${port}`;
  if (cause.code === 'EADDRINUSE')
    return new Error(`${what}: the port is in use; set PORT to another, or --port in the demo`, { cause });
  return new Error(what, { cause });
}

const closePollMs = 50;

/** A connection that is still answering becomes idle a moment later and would then stay open for seconds. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const closing = setInterval(() => server.closeIdleConnections(), closePollMs);
    server.close(() => {
      clearInterval(closing);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Whether the work ends within so many milliseconds; otherwise it goes on, and nobody waits for it. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  const late = setTimeout(ms, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
