import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { certificate, certificateKey } from './certificate.ts';

/** The secret that receivers by the Standard Webhooks specification share with the operator. */
export const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** What listens on this machine, and everything that it was sent. */
export async function receiver(answer: Answer = (response) => void response.end(), { tls = false } = {}) {
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    // Node joins headers that come twice, and none of these does.
    const headers = request.headers as Record<string, string>;
    received.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() });
    answer(response, request);
  };
  const server = tls
    ? createHttpsServer({ key: certificateKey, cert: certificate }, take)
    : createHttpServer(take);
  const port = await listening(server);
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hooks/secret-path?key=secret-query`,
    port,
    received,
  };
}

/** A port where whatever connects is treated like that. */
export function tcpReceiver(treat: (socket: Socket) => void): Promise<number> {
  return listening(createTcpServer(treat));
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // It listens on a port and not on a path.
  return (server.address() as AddressInfo).port;
}

/** What the library of the specification makes of it; throws if it is not signed. */
export function verified({ body, headers }: Received) {
  // What the payload is, is what the tests are about.
  return new Webhook(secret).verify(body, headers) as {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}
