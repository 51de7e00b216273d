import { connect, type Socket } from 'node:net';
import type { Role } from '../measure/part.ts';
import type { Request } from './delivery.ts';

/** What to send, where, and for how long. */
export interface Barrage {
  readonly url: string;
  readonly request: Request;
  readonly seconds: number;
  readonly connections: number;
}

export interface Hits {
  /** Answered with 2xx; any other answer ends the benchmark. */
  readonly answered: number;
  readonly ms: number;
  /** How long each waited for its answer. */
  readonly latenciesMs: readonly number[];
}

/**
 * Posts over connections that are kept alive, each with one request under way: ready bytes, hardly a look at
 * the answer.
 */
export async function openLoad(): Promise<Role<null, Barrage, Hits>> {
  return { ready: null, answer: fire, end: async () => undefined };
}

async function fire({ url, request, seconds, connections }: Barrage): Promise<Hits> {
  const { hostname, port, pathname } = new URL(url);
  const bytes = bytesOf(request, { host: `${hostname}:${port}`, pathname });
  const began = performance.now();
  const until = began + seconds * 1000;
  const lines = Array.from({ length: connections }, () =>
    volley({ socket: connect(Number(port), hostname), bytes, until }),
  );
  const latenciesMs = (await Promise.all(lines)).flat();
  return { answered: latenciesMs.length, ms: performance.now() - began, latenciesMs };
}

function bytesOf({ headers, body }: Request, { host, pathname }: { host: string; pathname: string }): Buffer {
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head}\r\n${body}`);
}

interface Volley {
  readonly socket: Socket;
  readonly bytes: Buffer;
  readonly until: number;
}

function volley({ socket, bytes, until }: Volley): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const latenciesMs: number[] = [];
    let sentAt = 0;
    let answer = '';
    const send = (): void => {
      answer = '';
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('connect', send);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      if (!/^HTTP\/1\.1 2/.test(answer))
        return void socket.destroy(new Error(`could not deliver: ${answer}`));
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      if (now < until) return send();
      socket.end();
      resolve(latenciesMs);
    });
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  if (/^transfer-encoding: chunked/im.test(answer)) return answer.endsWith('0\r\n\r\n');
  return answer.length >= end + 4 + Number(/^content-length: (\d+)/im.exec(answer)?.[1] ?? 0);
}
