import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { permitted } from '../../src/network/proxy/dial.ts';
import { eventually } from '../app/eventually.ts';
import {
  connectThrough,
  egress,
  egressTo,
  exchange,
  httpServer,
  mainSocket,
  readUntil,
  tcpServer,
  temporaryFolder,
} from './egress-fixture.ts';

const connectTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\n\r\n`;

describe('a private address', () => {
  test('is not reached by a name, however it is listed', async () => {
    const port = await tcpServer((socket) => socket.end('secret'));
    const listed = [`one.example:${port}`, 'open'];
    const answers = [['127.0.0.1'], ['::1', '127.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254'], []];
    for (const addresses of answers) {
      const one = await egress({ reach: listed, resolve: async () => addresses });
      expect(await exchange(one, connectTo(`one.example:${port}`))).toContain('leads to a private address');
      const plain = `GET http://one.example:${port}/ HTTP/1.1\r\n\r\n`;
      expect(await exchange(one, plain)).toContain('leads to a private address');
      const host = `one.example:${port}`;
      expect(one.takeBlocked()).toEqual([{ host, why: 'private', command: '' }]);
    }
  });

  test('is not reached on the second look: a name is resolved once for each connection', async () => {
    let looks = 0;
    const resolve = async () => {
      looks += 1;
      return looks % 2 === 1 ? ['192.0.2.1'] : ['127.0.0.1'];
    };
    const port = await tcpServer((socket) => socket.end('secret'));
    const one = await egress({ reach: [`one.example:${port}`], resolve });
    for (const look of [1, 2, 3]) {
      expect(await exchange(one, connectTo(`one.example:${port}`))).toContain('leads to a private address');
      expect(looks).toBe(look);
    }
  });

  test('is left out among public ones', () => {
    const found = ['127.0.0.1', '8.8.8.8', '::1', '::ffff:10.0.0.1', '2606:4700::1111'];
    expect(permitted(found, { private: false })).toEqual(['8.8.8.8', '2606:4700::1111']);
    expect(permitted(found, { private: true })).toEqual(found);
  });
});

describe('what is refused', () => {
  test('is named once for each host and command, and at most twenty times', async () => {
    const one = await egress();
    one.runs('npm ci');
    await exchange(one, connectTo('a.example:443'));
    await exchange(one, connectTo('A.example:80'));
    await exchange(one, connectTo('a.example:8443'));
    await exchange(one, connectTo('10.0.0.1:443'));
    await exchange(one, connectTo('8.8.8.8:443'));
    one.runs('npm \u001b[31mtest\n\u202e');
    await exchange(one, connectTo('a.example:443'));
    expect(one.takeBlocked()).toEqual([
      { host: 'a.example', why: 'unlisted', command: 'npm ci' },
      { host: 'a.example:8443', why: 'unlisted', command: 'npm ci' },
      { host: '10.0.0.1', why: 'private', command: 'npm ci' },
      { host: '8.8.8.8', why: 'unlisted', command: 'npm ci' },
      { host: 'a.example', why: 'unlisted', command: 'npm test' },
    ]);
    expect(one.takeBlocked()).toEqual([]);
    for (let count = 0; count < 30; count += 1) await exchange(one, connectTo(`a${count}.example:443`));
    expect(one.takeBlocked()).toHaveLength(20);
  });

  test('is known to be a model where only the operator calls it one', async () => {
    const one = await egress({ reach: ['open'], modelHosts: ['models.corp.example'] });
    await exchange(one, connectTo('models.corp.example:443'));
    expect(one.takeBlocked()).toEqual([{ host: 'models.corp.example', why: 'model', command: '' }]);
  });

  test('is named by the command that the forwarder found, cut and in one line', async () => {
    const one = await egress();
    one.runs('npm ci');
    await exchange(one, connectTo('a.example:443'));
    await exchange(one, connectTo('b.example:443'));
    const told = `curl\u0000\n${'x'.repeat(300)}`;
    const post = (id: number) =>
      exchange(
        one,
        `POST /.coxswain/refused/${id} HTTP/1.1\r\nContent-Length: ${told.length}\r\n\r\n${told}`,
      );
    expect(await post(1)).toContain('204 No Content');
    // Once only, and nothing that was not refused.
    await post(1);
    await post(77);
    const [first, second, ...others] = one.takeBlocked();
    expect(first).toEqual({ host: 'b.example', why: 'unlisted', command: 'npm ci' });
    expect(second?.command).toMatch(/^curl x{195}$/);
    expect(others).toEqual([]);
  });

  test('is refused to a program that tells too much', async () => {
    const one = await egress();
    const long = `POST /.coxswain/refused/1 HTTP/1.1\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`;
    expect(await exchange(one, long, /\r\n\r\n/)).toContain('413 Payload Too Large');
  });
});

describe('the main port', () => {
  test('has models, and says so where there are none', async () => {
    expect(await exchange(await egress(), 'POST /api.anthropic.com/v1/messages HTTP/1.0\r\n\r\n')).toMatch(
      /404 Not Found.*Coxswain: programs for this use reach no model\./s,
    );
    const models = await egress({ models: ({ url }, response) => response.end(url) });
    const answer = await exchange(models, 'POST /api.anthropic.com/v1/messages HTTP/1.0\r\n\r\n');
    expect(answer).toContain('\r\n\r\n/api.anthropic.com/v1/messages');
  });

  test('also has them for programs that ignore NO_PROXY, and nothing else of this machine', async () => {
    const port = await tcpServer((socket) => socket.end('secret'));
    const models = await egress({ reach: ['open'], models: ({ url }, response) => response.end(url) });
    for (const host of ['127.0.0.1:3128', 'localhost:3128', '[::1]:3128']) {
      expect(await exchange(models, `GET http://${host}/model HTTP/1.0\r\n\r\n`)).toMatch(/\r\n\r\n\/model$/);
      const tunnel = `${connectTo(host)}GET /model HTTP/1.0\r\n\r\n`;
      expect(await exchange(models, tunnel)).toMatch(/\r\n\r\n\/model$/);
      const other = host.replace('3128', String(port));
      expect(await exchange(models, connectTo(other))).toContain('403 Blocked by Coxswain');
    }
  });

  test('does not go round in circles', async () => {
    const one = await egress();
    const nested = connectTo('127.0.0.1:3128').repeat(300);
    expect(await exchange(one, nested, /503/)).toContain('503 Service Unavailable');
    const url = 'http://127.0.0.1:3128/http://127.0.0.1:3128/';
    await eventually('all of them are closed', async () => {
      const answer = await exchange(one, `GET ${url} HTTP/1.0\r\n\r\n`);
      return answer.includes('404 Not Found') || undefined;
    });
  });

  test('survives a mistake of ours', async () => {
    const models = await egress({
      models: () => {
        throw new Error('a mistake');
      },
    });
    expect(await exchange(models, 'POST /a HTTP/1.0\r\n\r\n')).toBe('');
    expect(await exchange(models, 'POST /a HTTP/1.0\r\n\r\n')).toBe('');
  });
});

describe('a socket', () => {
  test('may be connected to by everybody who sees it, and has a path of any length', async () => {
    const folder = join(temporaryFolder(), 'x'.repeat(100), 'y'.repeat(100));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    const one = await egress({ folder, use: 'setup' });
    const path = mainSocket(one);
    expect(path).toBe(join(folder, 'setup-3128.sock'));
    expect(statSync(path).mode & 0o666).toBe(0o666);
    await egress({ folder, use: 'agent' });
    await one.close();
    expect(readdirSync(folder)).toEqual(['agent-3128.sock']);
  });

  test('may be left by a process that was killed', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'setup-3128.sock'), '');
    const one = await egress({ folder, use: 'setup' });
    expect(await exchange(one, connectTo('a.example:443'))).toContain('403 Blocked by Coxswain');
  });

  test('that cannot be made is an error that says which', async () => {
    const folder = join(temporaryFolder(), 'nowhere');
    await expect(egress({ folder })).rejects.toThrow(/ENOENT.*nowhere/);
  });
});

describe('bounds', () => {
  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a bare line feed', 'X-A: b\nX-C: d\r\n\r\n'],
    ['a broken name', 'X A: b\r\n\r\n'],
    ['an unknown framing', 'Transfer-Encoding: chunked, identity\r\n\r\n'],
  ])('a request with %s reaches nobody', async (_, rest) => {
    const port = await httpServer(() => expect.fail('the host was asked'));
    const one = await egressTo('one.example', port);
    const answer = await exchange(
      one,
      `POST http://one.example:${port}/ HTTP/1.1\r\nConnection: close\r\n${rest}`,
    );
    expect(answer).toContain('400 Bad Request');
  });

  test('a head of more than 16 KB is not read', async () => {
    const one = await egress();
    const answer = await exchange(
      one,
      `CONNECT a.example:443 HTTP/1.1\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toContain('431 Request Header Fields Too Large');
  });

  test.each([
    'https://a.example/',
    'ftp://a.example/',
    'http:///',
    'http://a@b.example/',
    'http://a.example:x/',
  ])('the address %s is not one to pass on to', async (url) => {
    const one = await egress({ reach: ['open'] });
    expect(await exchange(one, `GET ${url} HTTP/1.1\r\n\r\n`)).toContain('400 Bad Request');
  });

  test('more connections than there may be are turned away, and later ones served again', async () => {
    const port = await tcpServer((socket) => socket.pipe(socket));
    const one = await egressTo('echo.example', port);
    const path = mainSocket(one);
    const sockets: Socket[] = [];
    onTestFinished(() => void sockets.forEach((socket) => void socket.destroy()));
    const closed = { count: 0 };
    for (let count = 0; count < 3_000; count += 1) {
      const socket = connect({ path }).on('error', () => undefined);
      socket.once('close', () => (closed.count += 1));
      sockets.push(socket.resume());
      if (count % 100 === 0) await once(socket, 'connect').catch(() => undefined);
    }
    await eventually('all but 320 are closed', () => closed.count >= 3_000 - 320 || undefined);
    sockets.forEach((socket) => void socket.destroy());
    await eventually('another one is served', async () => {
      const { head, socket } = await connectThrough(one, `echo.example:${port}`).catch(() => ({
        head: '',
        socket: undefined,
      }));
      socket?.destroy();
      return head.includes('200') || undefined;
    });
  });

  test('more tunnels than there may be get a 503', async () => {
    const port = await tcpServer((socket) => socket.pipe(socket));
    const one = await egressTo('echo.example', port);
    const heads: string[] = [];
    for (let count = 0; count < 257; count += 1)
      heads.push((await connectThrough(one, `echo.example:${port}`)).head);
    expect(heads.filter((head) => head.includes('200'))).toHaveLength(256);
    expect(heads.at(-1)).toContain('503 Service Unavailable');
  });

  test('closing ends what is open', async () => {
    const port = await tcpServer((socket) => socket.pipe(socket));
    const one = await egressTo('echo.example', port);
    const { socket } = await connectThrough(one, `echo.example:${port}`);
    await one.close();
    expect(await readUntil(socket)).toBe('');
  });
});
