import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundedServer, type Handlers } from '../../src/network/server/bounded-server.ts';
import { readUntil } from './egress-fixture.ts';

async function serve(handlers: Handlers, headersMs = 60_000) {
  const { server, close } = boundedServer(handlers, { connections: 1, headersMs });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => close());
  const { port } = server.address() as AddressInfo; // as Node documents it for a server on a port
  return (bytes: string) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.write(bytes);
    return socket;
  };
}

test('a head that never ends is given up', async () => {
  const send = await serve({ request: () => expect.fail('nothing was asked') }, 50);
  expect(await readUntil(send('GET / HTTP/1.1\r\nX-A: '))).toContain('408 Request Timeout');
});

test('one connection too many gets an answer, and far too many are not accepted', async () => {
  const send = await serve({ request: (_, response) => response.writeHead(200).flushHeaders() });
  const first = send('GET / HTTP/1.1\r\n\r\n');
  expect(await readUntil(first, /\r\n\r\n/)).toContain('200 OK');
  const second = send('GET / HTTP/1.1\r\n');
  await once(second, 'connect');
  const others = Array.from({ length: 63 }, () => send('GET / HTTP/1.1\r\n'));
  await Promise.all(others.map((each) => once(each, 'connect')));
  await expect(readUntil(send('GET / HTTP/1.1\r\n\r\n')).catch(() => '')).resolves.toBe('');
  second.write('\r\n');
  expect(await readUntil(second)).toContain('503 Service Unavailable');
});

test('CONNECT is refused where there is no proxy', async () => {
  const send = await serve({ request: () => expect.fail('nothing was asked') });
  expect(await readUntil(send('CONNECT a.example:443 HTTP/1.1\r\n\r\n'))).toContain('405 Method Not Allowed');
});
