import { once } from 'node:events';
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

export interface DoorPlace {
  readonly use: string;
  /** For its socket: private, since every user may connect to it who can see it. */
  readonly folder: string;
  /** Inside. */
  readonly port: number;
  /** Without a sandbox: at a free port of this machine instead. */
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
