import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openingOf } from '../../src/network/proxy/client-hello.ts';
import { firstBytes } from '../../src/network/proxy/first-bytes.ts';
import { plainTunnels } from '../../src/network/proxy/plain-tunnels.ts';
import { BlockedHosts } from '../../src/network/refusals/blocked.ts';
import { connectThrough, egressTo, httpServer, readUntil, tcpServer } from './egress-fixture.ts';

/** What a program says first that means this host, or none. */
function helloTo(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk);
        done();
      },
    });
    const program = connectTls({ socket, servername }).on('error', () => undefined);
    onTestFinished(() => void program.destroy());
  });
}

/** The same ClientHello with one more extension. */
function extended(hello: Buffer, type: number, content: Buffer): Buffer {
  const extension = Buffer.concat([numbers(type, content.length), content]);
  const longer = Buffer.concat([hello, extension]);
  const added = extension.length;
  longer.writeUInt16BE(hello.readUInt16BE(3) + added, 3);
  longer.writeUIntBE(hello.readUIntBE(6, 3) + added, 6, 3);
  // The length of all extensions stands behind the session and what ciphers there are.
  let at = 9 + 34;
  at += 1 + (hello[at] ?? 0);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + (hello[at] ?? 0);
  longer.writeUInt16BE(hello.readUInt16BE(at) + added, at);
  return longer;
}

function numbers(...all: readonly number[]): Buffer {
  return Buffer.concat(all.map((each) => Buffer.from([each >> 8, each & 255])));
}

/** The same bytes of a handshake in records of that many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(hello.subarray(0, 3), numbers(part.length), part);
  }
  return Buffer.concat(parts);
}

describe('the beginning of TLS', () => {
  test('names its host, in however many pieces it comes', async () => {
    const hello = await helloTo('One.example');
    const expected = { kind: 'tls', hosts: ['one.example'], hidden: false };
    for (const whole of [hello, inRecords(hello, 100), inRecords(hello, 10)]) {
      expect(openingOf(whole)).toEqual(expected);
      for (let end = 0; end < whole.length; end += 7)
        expect(openingOf(whole.subarray(0, end)).kind).toBe('incomplete');
    }
    expect(openingOf(await helloTo(''))).toEqual({ ...expected, hosts: [] });
  });

  test.each([
    ['GET / HTTP/1.1\r\n\r\n', 'other'],
    ['\x16\x02\x00', 'other'],
    ['\x17\x03\x03', 'other'],
    ['\x16\x03\x01\x00\x00', 'odd'],
    ['\x16\x03\x01\x00\x04\x02\x00\x00\x00', 'odd'],
    ['\x16\x03\x01\x00\x01\x01\x17\x03', 'odd'],
  ])('is not %j', (text, kind) => {
    expect(openingOf(Buffer.from(text, 'latin1'))).toEqual({ kind });
  });

  test('is not in a great many records, whose reading would keep us busy', async () => {
    const hello = await helloTo('one.example');
    expect(openingOf(inRecords(hello, 1))).toEqual({ kind: 'odd' });
    const tiny = Buffer.concat(
      [...hello.subarray(5, 45)].map((byte) => Buffer.from([0x16, 3, 1, 0, 1, byte])),
    );
    expect(openingOf(tiny)).toEqual({ kind: 'incomplete' });
  });

  test('is not what leads behind its own end, or has none', async () => {
    const hello = await helloTo('one.example');
    const broken = Buffer.from(hello);
    broken[43] = 255;
    expect(openingOf(broken)).toEqual({ kind: 'odd' });
    const endless = inRecords(
      Buffer.concat([hello.subarray(0, 5), Buffer.from([1, 255, 255, 255]), Buffer.alloc(40_000)]),
      16_000,
    );
    expect(openingOf(endless)).toEqual({ kind: 'odd' });
  });
});

describe('in a tunnel to one host', () => {
  const known = { registries: [], privateHosts: [] };

  async function judged(bytes: Buffer, more: { port?: number; named?: boolean } = {}) {
    const { port = 443, named = true } = more;
    const socket = connect(await tcpServer(() => undefined), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const { may, ...rest } = await firstBytes(socket, bytes, {
      target: { host: 'one.example', port },
      named,
      known,
    });
    return 'host' in rest ? rest.host : may;
  }

  test('that host is meant', async () => {
    expect(await judged(await helloTo('one.example'))).toBe('pass');
    expect(await judged(inRecords(await helloTo('one.example'), 10))).toBe('pass');
    expect(await judged(await helloTo('other.example'))).toBe('other.example');
    expect(await judged(await helloTo('other.example'), { port: 8443 })).toBe('other.example');
    expect(await judged(await helloTo(''))).toBe('not');
    expect(await judged(Buffer.from('GET / HTTP/1.1\r\nHost: other.example\r\n\r\n'))).toBe('not');
  });

  test('nobody greets byte by byte', async () => {
    const hello = await helloTo('one.example');
    const socket = connect(await tcpServer((other) => void other.resume()), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const target = { host: 'one.example', port: 8443 };
    const first = firstBytes(socket, Buffer.alloc(0), { target, named: false, known });
    for (const byte of hello.subarray(0, 101)) socket.emit('data', Buffer.from([byte]));
    expect(await first).toEqual({ may: 'not' });
  });

  test('no second name is in it, open or hidden', async () => {
    const hello = await helloTo('one.example');
    const name = Buffer.from('other.example');
    const names = Buffer.concat([numbers(name.length + 3), Buffer.from([0]), numbers(name.length), name]);
    expect(await judged(extended(hello, 0, names))).toBe('other.example');
    expect(await judged(extended(hello, 0xfe0d, Buffer.alloc(100)))).toBe('not');
    expect(await judged(extended(hello, 0xfff0, Buffer.alloc(100)))).toBe('pass');
  });

  test('at a port of its own it may speak anything', async () => {
    expect(await judged(Buffer.from('SSH-2.0-x\r\n'), { port: 22 })).toBe('pass');
  });

  test('that is open like all others, every host but that of a model is meant', async () => {
    expect(await judged(await helloTo('other.example'), { named: false })).toBe('pass');
    expect(await judged(Buffer.from('x'), { named: false })).toBe('pass');
    expect(await judged(await helloTo('api.openai.com'), { named: false })).toBe('api.openai.com');
    expect(await judged(await helloTo('api.openai.com'), { named: true })).toBe('api.openai.com');
  });

  test('another one is not reached, but named as blocked', async () => {
    const received: Buffer[] = [];
    const port = await tcpServer((socket) => socket.on('data', (chunk) => received.push(chunk)));
    const one = await egressTo('one.example', port);
    const { socket } = await connectThrough(one, `one.example:${port}`);
    socket.write(await helloTo('other.example'));
    expect(await readUntil(socket)).toBe('');
    expect(received).toEqual([]);
    expect(one.takeBlocked()).toEqual([{ host: `other.example:${port}`, why: 'unlisted', command: '' }]);
  });

  test('what was read is passed on, and what the host says first is not held back', async () => {
    const hello = await helloTo('one.example');
    const port = await tcpServer(
      (socket) => void socket.on('data', (chunk) => socket.write(chunk)).write('hello'),
    );
    const through = await egressTo('one.example', port);
    const { socket, head } = await connectThrough(through, `one.example:${port}`);
    expect(head.endsWith('hello') ? 'hello' : await readUntil(socket, /hello/)).toBe('hello');
    socket.write(hello.subarray(0, 20));
    socket.write(hello.subarray(20));
    let echoed = '';
    while (echoed.length < hello.length) echoed += await readUntil(socket, /./s);
    expect(Buffer.from(echoed, 'latin1').equals(hello)).toBe(true);
  });
});

test('requests in a tunnel for plain HTTP go to its host, whatever they say', async () => {
  const seen: unknown[] = [];
  const port = await httpServer(({ url, headers }, response) => {
    seen.push([url, headers.host]);
    response.end('ok');
  });
  const host = `one.example:${port}`;
  const plain = plainTunnels({
    use: 'verifiers',
    reach: [host],
    known: { registries: [], privateHosts: [host] },
    blocked: new BlockedHosts(),
    resolve: async () => ['127.0.0.1'],
    own: new Map(),
    connectMs: 1_000,
    idleMs: 1_000,
  });
  const door = await tcpServer((program) => {
    program.unshift(Buffer.from('GET /one HTTP/1.1\r\nHost: other.example\r\n\r\n'));
    plain(program, { host: 'one.example', port });
  });
  const socket = connect(door, '127.0.0.1');
  socket.write('GET http://other.example/two HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n');
  expect(await readUntil(socket)).toMatch(/ok.*ok/s);
  expect(seen).toEqual([
    ['/one', host],
    ['/', host],
  ]);
});
