import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { refusalHeader } from '../forwarder/agreed.ts';

export interface Handlers {
  readonly request: RequestListener;
  /** Answers CONNECT, which is refused without it. */
  readonly connect?: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** How many connections at once we take the time to answer with 503. */
const turnedAway = 64;

const usualBounds = {
  /** How many there may be at once; some more are answered with 503, and all further ones closed unread. */
  connections: 256,
  /** How long the head of a request may take to arrive. */
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
  /** What a person reads of it in a program's output. */
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

/** Gives the same answer to a request, and closes the connection after it. */
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

/** Where programs connect to us. */
export interface Door {
  /** Programs reach it at this port of 127.0.0.1. */
  readonly port: number;
  readonly origin: string;
  /** The socket outside to which the port inside leads; none without a sandbox. */
  readonly socket?: string;
  /** A short path of the same socket, which only this process can use. */
  readonly shortPath?: string;
  close(): Promise<void>;
}

export interface DoorPlace {
  readonly use: string;
  /** Its socket is made there. It is private, since every user may connect who can see the socket. */
  readonly folder: string;
  /** The port that programs in the sandbox connect to. */
  readonly port: number;
  /** Whether it is opened at a free port of this machine instead, as it is without a sandbox. */
  readonly loopback?: boolean;
}

/**
 * The port of the proxy and of models inside a sandbox, which has nothing else on its loopback. Registries
 * with a token have the ports after it.
 */
export const mainPort = 3128;

/**
 * Opens a door. The path of a socket has at most 108 bytes, so we name the folder by its descriptor, which
 * stays open until the end: then Node removes the socket by the same name.
 */
export async function openDoor(handlers: Handlers, place: DoorPlace): Promise<Door> {
  const { server, close } = boundedServer(handlers);
  if (place.loopback) {
    await listening(server, { host: '127.0.0.1', port: 0 });
    const { port } = server.address() as AddressInfo; // as Node documents it for a server on a port
    return { port, origin: `http://127.0.0.1:${port}`, close };
  }
  const { folder, port } = place;
  const name = `${place.use}-${port}.sock`;
  const socket = join(folder, name);
  const descriptor = await open(folder, 'r');
  const shortPath = `/proc/self/fd/${descriptor.fd}/${name}`;
  try {
    // A process that was killed leaves its socket behind.
    await rm(socket, { force: true });
    await listening(server, { path: shortPath, readableAll: true, writableAll: true });
  } catch (cause) {
    await descriptor.close();
    throw new Error(`could not listen on ${socket}`, { cause });
  }
  const closeAll = async (): Promise<void> => {
    await close();
    await descriptor.close();
    await rm(socket, { force: true });
  };
  return { port, origin: `http://127.0.0.1:${port}`, socket, shortPath, close: closeAll };
}

async function listening(server: Server, where: Parameters<Server['listen']>[0]): Promise<void> {
  server.listen(where);
  await once(server, 'listening');
  // Such as too many open files: connections then wait, or are closed.
  server.on('error', () => undefined);
}
