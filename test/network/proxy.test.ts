import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  connectThrough,
  egress,
  egressTo,
  exchange,
  httpServer,
  readUntil,
  tcpServer,
} from './egress-fixture.ts';

describe('a tunnel', () => {
  test('leads to a host that is listed, and passes what was sent before the answer', async () => {
    const port = await tcpServer((socket) => socket.pipe(socket));
    const one = await egressTo('echo.example', port);
    const answer = await exchange(
      one,
      `CONNECT echo.example:${port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
      /GET/,
    );
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\nGET / HTTP/1.1\r\n\r\n');
  });

  test('stays open in one direction after the end of the other', async () => {
    const port = await tcpServer((socket) => {
      socket.resume().once('end', () => socket.end('after the end'));
    });
    const { socket } = await connectThrough(await egressTo('late.example', port), `late.example:${port}`);
    socket.end('question');
    expect(await readUntil(socket)).toBe('after the end');
  });

  test('ends when the other side is gone without an end', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const { socket } = await connectThrough(await egressTo('reset.example', port), `reset.example:${port}`);
    socket.write('x');
    await once(socket.resume(), 'end');
  });

  test('ends when nothing happens for too long', async () => {
    const port = await tcpServer(() => undefined);
    const one = await egressTo('idle.example', port, { idleMs: 50 });
    const { socket } = await connectThrough(one, `idle.example:${port}`);
    await once(socket.resume(), 'end');
  });

  test('is refused with the line of configuration that would allow it', async () => {
    const one = await egress({ use: 'setup', reach: ['registries'] });
    const answer = await exchange(one, 'CONNECT Example.ORG.:443 HTTP/1.1\r\n\r\n');
    expect(answer).toMatchInlineSnapshot(`
      "HTTP/1.1 403 Blocked by Coxswain (network.setup)
      content-type: text/plain; charset=utf-8
      content-length: 166
      x-coxswain-blocked: 1
      connection: close

      Coxswain: network.setup in .github/coxswain.yml does not allow example.org.
      To allow it, write on the default branch:
        network: { setup: [registries, example.org] }
      "
    `);
  });

  test('to a permitted host that is not there is a 502', async () => {
    const one = await egressTo('gone.example', 1);
    expect(await exchange(one, 'CONNECT gone.example:1 HTTP/1.1\r\n\r\n')).toContain(
      'could not reach gone.example:1 (ECONNREFUSED)',
    );
  });

  test('to a host that has no address, or none in time, is a 502', async () => {
    const nowhere = () => Promise.reject(new Error('no name'));
    const one = await egress({ reach: ['gone.example'], resolve: nowhere });
    expect(await exchange(one, 'CONNECT gone.example:443 HTTP/1.1\r\n\r\n')).toContain('502 Bad Gateway');
    const never = () => new Promise<never>(() => undefined);
    const two = await egress({ reach: ['gone.example'], resolve: never, connectMs: 20 });
    expect(await exchange(two, 'CONNECT gone.example:443 HTTP/1.1\r\n\r\n')).toContain('502 Bad Gateway');
  });
});

describe('a plain request', () => {
  test('reaches the host of its address, whatever its Host header says', async () => {
    const port = await httpServer((request, response) => {
      response.setHeader('x-coxswain-blocked', '1');
      response.end(JSON.stringify([request.url, request.headers, request.httpVersion]));
    });
    const one = await egressTo('plain.example', port);
    const answer = await exchange(
      one,
      `GET http://plain.example:${port}/a?b=1 HTTP/1.1\r\nHost: other.example\r\nConnection: close, X-Secret\r\n` +
        'X-Secret: 1\r\nProxy-Authorization: Basic eDp5\r\nUpgrade: websocket\r\nX-Kept: yes\r\n\r\n',
    );
    const body = /\[.*\]/.exec(answer)?.[0] ?? '';
    const seen = { 'x-kept': 'yes', host: `plain.example:${port}`, connection: 'close' };
    expect(JSON.parse(body)).toEqual(['/a?b=1', seen, '1.1']);
    expect(answer).not.toContain('x-coxswain-blocked');
  });

  test('passes bodies of any framing, also with trailers and from HTTP/1.0', async () => {
    const port = await httpServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => response.write(text.toUpperCase()));
      request.on('end', () => response.end('.'));
    });
    const one = await egressTo('plain.example', port);
    const url = `http://plain.example:${port}/`;
    const chunked =
      'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n';
    expect(await exchange(one, `POST ${url} HTTP/1.1\r\n${chunked}`)).toMatch(/ABC.*\./s);
    expect(await exchange(one, `GET ${url} HTTP/1.1\r\n${chunked}`)).toMatch(/ABC.*\./s);
    const old = `POST ${url} HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc`;
    expect(await exchange(one, old)).toMatch(/\r\n\r\nABC\.$/);
  });

  test('is refused like a tunnel, and a host that is not there is a 502', async () => {
    const one = await egress();
    const refused = await exchange(one, 'GET http://example.org/ HTTP/1.1\r\n\r\n');
    expect(refused).toContain('HTTP/1.1 403 Blocked by Coxswain (network.verifiers)');
    expect(refused).toContain('network: { verifiers: [example.org] }');
    const two = await egressTo('gone.example', 1);
    expect(await exchange(two, 'GET http://gone.example:1/ HTTP/1.1\r\n\r\n')).toContain('502 Bad Gateway');
  });

  test.each([
    [
      'switches protocols unasked',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['says nothing that is HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
    ['says two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['says an impossible status', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['says nothing', ''],
  ])('to a host that %s ends with a 502', async (_, reply) => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end(reply)));
    const one = await egressTo('odd.example', port);
    const answer = await exchange(one, `GET http://odd.example:${port}/ HTTP/1.1\r\n\r\n`);
    expect(answer).toContain('502 Bad Gateway');
  });

  test('ends when its host ends in the middle of the answer', async () => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf';
    const port = await tcpServer((socket) => socket.once('data', () => socket.end(half)));
    const one = await egressTo('odd.example', port);
    const reading = exchange(one, `GET http://odd.example:${port}/ HTTP/1.1\r\n\r\n`);
    expect(await reading.catch((fault: Error) => fault.message)).toMatch(/half$|ECONNRESET/);
  });
});
