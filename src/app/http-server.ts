import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where to listen. */
export interface Address {
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
export async function startHttpServer(
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
