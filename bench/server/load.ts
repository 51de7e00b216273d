import { connect, type Socket } from 'node:net';
import type { PartHandler } from '../measure/part.ts';
import type { Request } from './delivery.ts';

/** What to send, where, and for how long. */
export interface LoadRequest {
  readonly url: string;
  readonly request: Request;
  readonly seconds: number;
  readonly connections: number;
}

export interface LoadResult {
  /** Answered with 2xx; any other response ends the benchmark. */
  readonly answered: number;
  readonly ms: number;
  /** How long each request waited for its response. */
  readonly latenciesMs: readonly number[];
}

/**
 * The load generator: posts over keep-alive connections, one request at a time on each. It sends prepared
 * bytes and hardly parses the response, so that it costs as little as possible.
 */
export async function openLoad(): Promise<PartHandler<null, LoadRequest, LoadResult>> {
  return { ready: null, answer: generate, end: async () => undefined };
}

async function generate({ url, request, seconds, connections }: LoadRequest): Promise<LoadResult> {
  const { hostname, port, pathname } = new URL(url);
  const bytes = bytesOf(request, { host: `${hostname}:${port}`, pathname });
  const began = performance.now();
  const until = began + seconds * 1000;
  const open = Array.from({ length: connections }, () =>
    postUntil({ socket: connect(Number(port), hostname), bytes, until }),
  );
  const latenciesMs = (await Promise.all(open)).flat();
  return { answered: latenciesMs.length, ms: performance.now() - began, latenciesMs };
}

function bytesOf({ headers, body }: Request, { host, pathname }: { host: string; pathname: string }): Buffer {
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head}\r\n${body}`);
}

interface Connection {
  readonly socket: Socket;
  readonly bytes: Buffer;
  readonly until: number;
}

function postUntil({ socket, bytes, until }: Connection): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const latenciesMs: number[] = [];
    let sentAt = 0;
    let response = '';
    const send = (): void => {
      response = '';
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('connect', send);
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString('latin1');
      if (!isComplete(response)) return;
      if (!/^HTTP\/1\.1 2/.test(response))
        return void socket.destroy(new Error(`could not deliver: ${response}`));
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      if (now < until) return send();
      socket.end();
      resolve(latenciesMs);
    });
  });
}

function isComplete(response: string): boolean {
  const end = response.indexOf('\r\n\r\n');
  if (end === -1) return false;
  if (/^transfer-encoding: chunked/im.test(response)) return response.endsWith('0\r\n\r\n');
  return response.length >= end + 4 + Number(/^content-length: (\d+)/im.exec(response)?.[1] ?? 0);
}
