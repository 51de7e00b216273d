import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Egress, type EgressOptions, openEgress } from '../../src/network/egress.ts';

/** A folder that lasts as long as the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-egress-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An egress for verifiers that reach nothing, unless said otherwise. Every name leads to this machine. */
export async function egress(options: Partial<EgressOptions> = {}): Promise<Egress> {
  const opened = await openEgress({
    use: 'verifiers',
    reach: [],
    folder: temporaryFolder(),
    home: '/home/coxswain',
    registries: [],
    privateHosts: [],
    resolve: async () => ['127.0.0.1'],
    ...options,
  });
  onTestFinished(() => opened.close());
  return opened;
}

/** An egress through which `host` can be reached, at a port of this machine. */
export function egressTo(host: string, port: number, options: Partial<EgressOptions> = {}): Promise<Egress> {
  return egress({ reach: [`${host}:${port}`], privateHosts: [`${host}:${port}`], ...options });
}

export function mainSocket({ doors: [main] }: Egress): string {
  if (main === undefined) throw new Error('the egress has no door');
  return main.socket;
}

/** What an egress answers to exactly these bytes, until it closes the connection or `until` is found. */
export async function exchange(egress: Egress, bytes: string, until?: RegExp): Promise<string> {
  const socket = connect({ path: mainSocket(egress), allowHalfOpen: true });
  socket.write(bytes, 'latin1');
  const text = await readUntil(socket, until);
  socket.destroy();
  return text;
}

/** Reads until something is found, or else to the end. */
export async function readUntil(socket: Socket, until?: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('latin1'); // no encoding is set
    if (until?.test(text)) break;
  }
  return text;
}

/** A connection through the egress, after its answer. */
export async function connectThrough(
  egress: Egress,
  authority: string,
): Promise<{ socket: Socket; head: string }> {
  const socket = connect({ path: mainSocket(egress), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const head = await readUntil(socket, /\r\n\r\n/);
  return { socket, head };
}

/** A TCP server on this machine. */
export async function tcpServer(attend: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => undefined));
    attend(socket);
  });
  return listening(server, sockets);
}

export async function httpServer(listener: RequestListener): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(listener).on('connection', (socket: Socket) => sockets.add(socket));
  return listening(server, sockets);
}

async function listening(server: Server, sockets: ReadonlySet<Socket>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port; // as Node documents it for a server on a port
}
