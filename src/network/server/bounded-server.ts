import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusalHeader } from '../forwarder/agreed.ts';

export interface Handlers {
  readonly request: RequestListener;
  /** CONNECT; without it, refused. */
  readonly connect?: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** How many connections at once we take the time to answer with 503. */
const turnedAway = 64;

const usualBounds = {
  /** Connections at once; some more are answered with 503, and all further ones closed unread. */
  connections: 256,
  /** For the head of a request. */
  headersMs: 20_000,
};

/** An HTTP server for programs that nobody trusts: no number, size or slowness of requests hurts us. */
export function boundedServer(handlers: Handlers, bounds = usualBounds) {
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
    respond(response, tooMany);
  });
  server.on('connect', (request, socket: Socket, head) => {
    if (sockets.size > bounds.connections) answer(socket, tooMany);
    else if (handlers.connect !== undefined) attend(socket, () => handlers.connect?.(request, socket, head));
    else
      answer(socket, { status: '405 Method Not Allowed', text: 'Coxswain: CONNECT is not possible here.' });
  });
  server.on('clientError', (fault, socket) => answer(socket, { status: statusFor(fault), text: unreadable }));
  /** Ends all connections too. */
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { server, close };
}

const tooMany = { status: '503 Service Unavailable', text: 'Coxswain: too many connections at once.' };
const unreadable = 'Coxswain: the proxy could not read this request.';

function statusFor({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
}

/** A short answer of our own. */
export interface Answer {
  /** Such as `403 Forbidden`. */
  readonly status: string;
  /** For a person who reads a program's output. */
  readonly text: string;
  /** The number of a refusal; the forwarder looks for it. */
  readonly blocked?: string;
}

/** Answers on a connection that Node's HTTP server has handed over, as it does after CONNECT; closes it. */
export function answer(socket: Duplex, { status, text, blocked }: Answer): void {
  const body = `${text}\n`;
  const headers = [
    `HTTP/1.1 ${status}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(blocked === undefined ? [] : [`${refusalHeader}: ${blocked}`]),
    'connection: close',
  ];
  if (!socket.writable) return void socket.destroy();
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  // What else the program sends is read and dropped, or it might not read our answer.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** How long a program has to close its side. */
const lingerMs = 5_000;

/** The same as the response to a request, after which the connection is closed. */
export function respond(response: ServerResponse, { status, text, blocked }: Answer): void {
  const [, code = '', message = ''] = /^(\d+) (.*)$/.exec(status) ?? [];
  response.writeHead(Number(code), message, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...(blocked !== undefined && { [refusalHeader]: blocked }),
  });
  response.end(`${text}\n`);
}

/** A mistake of ours in one connection ends that connection, not the process. */
export function attend(socket: Duplex, handler: () => unknown): void {
  const end = (fault: unknown): void => void socket.destroy(fault instanceof Error ? fault : undefined);
  try {
    const work = handler();
    if (work instanceof Promise) work.catch(end);
  } catch (fault) {
    end(fault);
  }
}
