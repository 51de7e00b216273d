import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Delivery, readDelivery } from '../github/events/delivery.ts';
import { readBytes, TooLarge } from '../http/body.ts';

export interface WebhookServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly secret: string;
  /** Resolves when the delivery is recorded. */
  receive(delivery: Delivery): Promise<void>;
  /** The response of `/healthz`; `ok: false` makes it a 503. */
  health(): { readonly ok: boolean };
  /** Handles all other requests; returns false for unknown ones. */
  other?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  onFault(fault: unknown, delivery: Delivery): void;
  /** How long GitHub waits for an event to be recorded, in milliseconds; it gives up after 10 s. */
  readonly responseTimeoutMs?: number;
}

export interface WebhookServer {
  readonly url: string;
  /** Stops listening and lets current requests finish. */
  close(): Promise<void>;
}

export const webhookPath = '/api/github/webhooks';

/** GitHub never sends more than this. */
const maxBytes = 25 * 1024 * 1024;

/**
 * Listens for webhooks in front of Probot. Most deliveries of a busy organization are irrelevant to us; they
 * are answered without creating a client or waiting for a handler, as Probot would.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((fault: unknown) => fail(response, fault));
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo; // always the case for a server that listens on TCP
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, close: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookServerOptions,
): Promise<void> {
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
  options: WebhookServerOptions,
): Promise<void> {
  if (request.method !== 'POST') return end(response, 405, { message: 'send webhooks with POST' });
  if (!isJson(request))
    return end(response, 415, { message: 'set the content type of the webhook to application/json' });
  const body = await readBytes(request, maxBytes).catch((fault: unknown) => {
    if (fault instanceof TooLarge) return undefined;
    throw fault;
  });
  if (body === undefined) {
    // The rest of the body is never read, so this connection cannot be reused.
    response.setHeader('connection', 'close');
    return end(response, 413, { message: `a delivery has at most ${maxBytes} bytes` });
  }
  if (!isSigned(request, body, options.secret)) {
    return end(response, 401, { message: 'the signature does not match the webhook secret' });
  }
  const delivery = deliveryIn(request, body);
  if (delivery === 'not JSON') return end(response, 400, { message: 'the body is not JSON' });
  if (delivery === undefined) return end(response, 200, { message: 'ignored' });
  await receive(delivery, response, options);
}

/** Undefined if it is irrelevant to us. */
function deliveryIn(request: IncomingMessage, body: Buffer): Delivery | undefined | 'not JSON' {
  const id = header(request, 'x-github-delivery');
  try {
    return readDelivery({ id, name: header(request, 'x-github-event') }, body);
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
  const { promise: late, cancel } = after(responseTimeoutMs, {
    status: 202,
    message: 'still being recorded',
  });
  const { status, message } = await Promise.race([received, late]);
  cancel();
  end(response, status, { message });
}

/** Verifies the raw bytes: `@octokit/webhooks-methods` needs text, and decoding would double the cost. */
function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const given = Buffer.from(header(request, 'x-hub-signature-256'));
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return body.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
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

function after<T>(ms: number, value: T): { promise: Promise<T>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(value), ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}

function listen(server: Server, { host, port }: WebhookServerOptions): Promise<void> {
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
