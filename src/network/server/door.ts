import { boundedServer, type Handlers } from './bounded-server.ts';
import { listenOnLoopback, listenOnSocket } from './listen.ts';

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
