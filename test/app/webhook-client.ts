import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { webhookPath } from '../../src/app/webhook-server.ts';

/** A client that sends what it likes, byte by byte. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything the server has answered so far. */
  answer(): string;
  /** The status of the answer; 0 if the connection was closed before we saw one. */
  readonly status: Promise<number>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
}

export const webhookSecret = 'only GitHub and we know';

/** A signature that is well-formed, and wrong. */
export const wrongSignature = `sha256=${'a'.repeat(64)}`;

export function signatureOf(body: string | Buffer): string {
  return `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;
}

/** Connects and sends the head of a delivery; without a signature if it is empty. */
export function openDelivery(url: string, signature: string, extra: string): RawClient {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  const status = new Promise<number>((resolve) => {
    socket.on('data', (chunk) => {
      answer += chunk;
      const [, code] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      if (code !== undefined) resolve(Number(code));
    });
    socket.on('close', () => resolve(0));
  });
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  // The server may close the connection while we are sending.
  socket.on('error', () => undefined);
  const signed = signature === '' ? [] : [`x-hub-signature-256: ${signature}`];
  const lines = [`POST ${webhookPath} HTTP/1.1`, 'host: x', 'content-type: application/json', ...signed];
  const github = ['x-github-event: issues', 'x-github-delivery: raw'];
  socket.write(`${[...lines, ...github, extra].join('\r\n')}\r\n\r\n`);
  return { socket, answer: () => answer, status, closed };
}

/** Sends the same block until so many bytes are sent or the server has had enough. */
export async function sendAll({ socket, status, closed }: RawClient, block: Buffer, times: number) {
  let isOver = false;
  const over = Promise.race([status, closed]).then(() => {
    isOver = true;
  });
  for (let sent = 0; sent < times && !isOver; sent++) {
    if (socket.write(block)) continue;
    await Promise.race([over, new Promise<void>((resolve) => void socket.once('drain', () => resolve()))]);
  }
}
