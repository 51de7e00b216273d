import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followProxy } from '../../src/cli/serve.ts';

function loggedTo(lines: string[]) {
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return pino({ level: 'info' }, stream);
}

test('a channel that cannot be reached is named in the log, and keeps nobody from stopping', async () => {
  const lines: string[] = [];
  const proxy = followProxy('http://127.0.0.1:1/channel', 'http://127.0.0.1:2', loggedTo(lines));
  await vi.waitFor(
    () => expect(lines.join('')).toContain('WEBHOOK_PROXY_URL is http://127.0.0.1:1/channel'),
    60_000,
  );
  await proxy.close();
});

test('a channel that accepts and says nothing keeps nobody from stopping', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const connected = new Promise((resolve) => silent.once('request', resolve));
  const { port } = silent.address() as AddressInfo; // it listens on TCP
  const proxy = followProxy(`http://127.0.0.1:${port}/channel`, 'http://127.0.0.1:2', loggedTo([]));
  await connected;
  await proxy.close();
});

test('without a channel there is nothing to follow', async () => {
  const lines: string[] = [];
  await followProxy(null, 'http://127.0.0.1:2', loggedTo(lines)).close();
  expect(lines).toEqual([]);
});
