import { open, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { boundedServer, type Handlers } from './bounded-server.ts';

/** Where programs connect to us. */
export interface Door {
  /** As programs reach it: on 127.0.0.1. */
  readonly port: number;
  readonly origin: string;
  /** The socket outside to which the port inside leads; none without a sandbox. */
  readonly socket?: string;
  /** The same by a short path, for this process. */
  readonly shortPath?: string;
  close(): Promise<void>;
}

interface SocketPlace {
  readonly folder: string;
  readonly name: string;
  /** Inside. */
  readonly port: number;
}

export async function openSocketDoor(handlers: Handlers, { folder, name, port }: SocketPlace): Promise<Door> {
  const { server, close } = boundedServer(handlers);
  const { path, shortPath, remove } = await listenOnSocket(server, folder, name);
  const closed = async (): Promise<void> => {
    await close();
    await remove();
  };
  return { port, origin: `http://127.0.0.1:${port}`, socket: path, shortPath, close: closed };
}

export async function openLoopbackDoor(handlers: Handlers): Promise<Door> {
  const { server, close } = boundedServer(handlers);
  const port = await listenOnLoopback(server);
  return { port, origin: `http://127.0.0.1:${port}`, close };
}

/**
 * The port of the proxy and of models inside a sandbox, which has nothing else on its loopback. Registries
 * with a token have the ports after it.
 */
export const mainPort = 3128;

export interface Listening {
  /** The path of the socket. */
  readonly path: string;
  /** A short one, for this process. */
  readonly shortPath: string;
  /** After the server was closed. */
  remove(): Promise<void>;
}

/**
 * Listens on a Unix socket that every user may connect to who can see it: the folder, which must be private,
 * keeps others out. The path of a socket has at most 108 bytes, so we name the folder by its descriptor,
 * which stays open until the end: then Node removes the socket by the same name.
 */
export async function listenOnSocket(server: Server, folder: string, name: string): Promise<Listening> {
  const descriptor = await open(folder, 'r');
  const shortPath = `/proc/self/fd/${descriptor.fd}/${name}`;
  try {
    // A process that was killed leaves its socket behind.
    await rm(join(folder, name), { force: true });
    await listening(server, { path: shortPath, readableAll: true, writableAll: true });
  } catch (cause) {
    await descriptor.close();
    throw new Error(`could not listen on ${join(folder, name)}`, { cause });
  }
  const path = join(folder, name);
  const remove = async (): Promise<void> => {
    await descriptor.close();
    await rm(path, { force: true });
  };
  return { path, shortPath, remove };
}

/** Listens on a free port of this machine alone. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await listening(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo; // as Node documents it for a server on a port
  return port;
}

function listening(server: Server, where: Parameters<Server['listen']>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      // Such as too many open files: connections then wait, or are closed.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
