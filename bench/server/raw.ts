import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartHandler } from '../measure/part.ts';
import { type Cpu, cpuMs } from './cpu.ts';
import { secret } from './delivery.ts';

/** The floor: the least a webhook server must do. It reads the body, verifies the signature and answers. */
export async function openRaw(): Promise<PartHandler<{ url: string }, Cpu, number>> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // a server that listens on TCP has such an address
  return {
    ready: { url: `http://127.0.0.1:${port}/` },
    answer: cpuMs,
    end: async () => void server.close(),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(request.headers['x-hub-signature-256']));
  const signed = given.length === expected.length && timingSafeEqual(given, expected);
  response.statusCode = signed ? 202 : 401;
  response.end();
}
