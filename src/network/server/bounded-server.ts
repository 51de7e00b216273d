import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { answer } from './answer.ts';
import { attend } from './attend.ts';

export interface Handlers {
  readonly request: RequestListener;
  /** CONNECT; without it, refused. */
  readonly connect?: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

export interface BoundedServer {
  readonly server: Server;
  /** Ends all connections too. */
  close(): Promise<void>;
}

export interface Bounds {
  /** Connections at once; some more are answered with 503, and all further ones closed unread. */
  readonly connections: number;
  /** For the head of a request. */
  readonly headersMs: number;
}

/** How many connections at once we take the time to answer with 503. */
const turnedAway = 64;

const usualBounds: Bounds = { connections: 256, headersMs: 20_000 };

/** An HTTP server for programs that nobody trusts: no number, size or slowness of requests hurts us. */
export function boundedServer(handlers: Handlers, bounds: Bounds = usualBounds): BoundedServer {
  const server = createServer({
    maxHeaderSize: 16_384,
    headersTimeout: bounds.headersMs,
    requestTimeout: 10 * 60_000,
    connectionsCheckingInterval: Math.min(5_000, bounds.headersMs),
    keepAliveTimeout: 30_000,
    // We go by what the request line says.
    requireHostHeader: false,
  });
  server.maxConnections = bounds.connections + turnedAway;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    // Until somebody else listens too: an error of a program's connection is not ours.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    if (sockets.size <= bounds.connections)
      return attend(request.socket, () => handlers.request(request, response));
    response.writeHead(503, { 'content-type': 'text/plain', connection: 'close' }).end(tooMany);
  });
  server.on('connect', (request, socket: Socket, head) => {
    if (sockets.size > bounds.connections)
      answer(socket, { status: '503 Service Unavailable', text: tooMany });
    else if (handlers.connect !== undefined) attend(socket, () => handlers.connect?.(request, socket, head));
    else
      answer(socket, { status: '405 Method Not Allowed', text: 'Coxswain: CONNECT is not possible here.' });
  });
  server.on('clientError', (fault, socket) => answer(socket, { status: statusFor(fault), text: unreadable }));
  return { server, close: () => closed(server, sockets) };
}

const tooMany = 'Coxswain: too many connections at once.';
const unreadable = 'Coxswain: the proxy could not read this request.';

function statusFor({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
}

function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
