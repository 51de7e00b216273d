import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startWebhookServer, type WebhookServer } from '../../src/app/webhook-server.ts';
import { noRuns } from '../../src/github/events/delivery.ts';
import {
  openDelivery,
  type RawClient,
  sendAll,
  signatureOf,
  webhookSecret,
  wrongSignature,
} from './webhook-client.ts';

/** What strangers can take of the process that listens for webhooks. */

const mebibyte = 1024 * 1024;
let folder: string;
let program: string;
let child: ChildProcess | undefined;
let server: WebhookServer | undefined;
const clients: RawClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-flood-'));
  program = join(folder, 'server.mjs');
  const bundle = await rolldown({ input: 'test/app/server-child.ts', platform: 'node', tsconfig: false });
  await bundle.write({ file: program, format: 'esm', codeSplitting: false });
  await bundle.close();
});

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await server?.close();
  server = undefined;
  if (child !== undefined && child.exitCode === null) {
    child.kill();
    await once(child, 'exit');
  }
  child = undefined;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The server in a process of its own; `peak` is the most memory it has had, in MiB. */
async function startChild(): Promise<{ url: string; peak(): Promise<number> }> {
  const started = fork(program);
  child = started;
  const [{ url }] = await once(started, 'message');
  const peak = async () => {
    const answered = once(started, 'message');
    started.send('how much?');
    return (await answered)[0].mebibytes;
  };
  return { url, peak };
}

async function start(options: { requestTimeoutMs?: number; maxHeldBytes?: number } = {}): Promise<string> {
  server = await startWebhookServer({
    ...{ host: '127.0.0.1', port: 0, secret: webhookSecret, ...options },
    runs: () => noRuns,
    receive: async () => undefined,
    health: () => ({ ok: true }),
    onFault: () => undefined,
  });
  return server.url;
}

function open(url: string, signature: string, extra: string): RawClient {
  const client = openDelivery(url, signature, extra);
  clients.push(client);
  return client;
}

test('a delivery without a well-formed signature is refused before its body, and its connection closed', async () => {
  const url = await start();
  const shapes = [
    '',
    'sha256=00',
    `sha256=${'A'.repeat(64)}`,
    `sha1=${'a'.repeat(40)}`,
    `${wrongSignature}a`,
  ];
  for (const shape of shapes) {
    const client = open(url, shape, `content-length: ${25 * mebibyte}`);
    expect(await client.status).toBe(401);
    expect(client.answer()).toContain('connection: close');
    await sendAll(client, Buffer.alloc(mebibyte), 25);
    await client.closed;
  }
});

test.each([
  ['unsigned', '', 401],
  ['with a wrong signature', wrongSignature, 503],
])('sixty bodies of 25 MiB, %s, take a bounded amount of memory', async (_, signature, status) => {
  const { url, peak } = await startChild();
  const before = await peak();
  const answers = Array.from({ length: 60 }, async () => {
    const client = open(url, signature, `content-length: ${25 * mebibyte}`);
    await sendAll(client, Buffer.alloc(mebibyte, ' '), 25);
    return client.status;
  });
  for (const answer of await Promise.all(answers)) expect([0, 401, status]).toContain(answer);
  expect((await peak()) - before).toBeLessThan(350);
});

test.each([
  ['unsigned', '', 401],
  ['with a wrong signature', wrongSignature, 413],
])('a body in pieces of one byte, %s, takes next to nothing', async (_, signature, status) => {
  const { url, peak } = await startChild();
  const before = await peak();
  const client = open(url, signature, 'transfer-encoding: chunked');
  await sendAll(client, Buffer.from('1\r\n \r\n'.repeat(4096)), 1024);
  // Whoever goes on sending may lose the answer with the connection.
  expect([status, 0]).toContain(await client.status);
  await client.closed;
  expect((await peak()) - before).toBeLessThan(60);
});

test('beyond the budget of all bodies, large ones get 503 with Retry-After, and small ones pass', async () => {
  const url = await start({ maxHeldBytes: mebibyte });
  const held = open(url, wrongSignature, `content-length: ${mebibyte}`);
  await sendAll(held, Buffer.alloc(600 * 1024, ' '), 1);
  // The first body holds most of the budget as soon as it has been read so far.
  const refused = async () => {
    const client = open(url, wrongSignature, `content-length: ${mebibyte}`);
    await sendAll(client, Buffer.alloc(600 * 1024, ' '), 1);
    const answered = await Promise.race([client.status, quiet(client)]);
    client.socket.destroy();
    return answered === 503 && /retry-after: 5/i.test(client.answer());
  };
  await expect.poll(refused).toBe(true);
  const small = '{"action":"starred"}';
  const passed = open(url, signatureOf(small), `content-length: ${small.length}`);
  passed.socket.write(small);
  expect(await passed.status).toBe(200);
  held.socket.destroy();
  const large = JSON.stringify({ filler: ' '.repeat(mebibyte / 4) });
  const again = async () => {
    const client = open(url, signatureOf(large), `content-length: ${large.length}`);
    client.socket.write(large);
    return client.status;
  };
  await expect.poll(again).toBe(200);
});

/** Resolves when a client that waits for the rest of its body could have been answered by now. */
async function quiet({ socket }: RawClient): Promise<undefined> {
  while (socket.writableLength > 0) await once(socket, 'drain');
  await fetch(`${server?.url}/healthz`);
  await fetch(`${server?.url}/healthz`);
  return undefined;
}

test('a request that does not arrive in time is ended', async () => {
  const url = await start({ requestTimeoutMs: 200 });
  const slow = open(url, wrongSignature, 'content-length: 1000');
  slow.socket.write('{');
  expect(await slow.status).toBe(408);
  await slow.closed;
  const { socket, closed } = open(url, wrongSignature, 'x-unfinished: yes');
  socket.write('1');
  await closed;
});

test('of very many connections a thousand are kept, and the others closed at once', async () => {
  const { url } = await startChild();
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: 1_100 }, () => connect(Number(port), hostname));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  let closed = 0;
  for (const socket of sockets)
    socket
      .on('error', () => undefined)
      .on('close', () => (closed += 1))
      .resume();
  // Far fewer than would be closed for sending nothing, and long before.
  await expect.poll(() => closed).toBeGreaterThanOrEqual(100);
  expect(closed).toBeLessThan(200);
  sockets.forEach((socket) => void socket.destroy());
  const healthy = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(healthy).toBe(true);
});

test('the largest delivery that GitHub sends is accepted, also in chunks', async () => {
  const url = await start();
  const empty = JSON.stringify({ action: 'starred', filler: '' });
  const body = JSON.stringify({ action: 'starred', filler: 'x'.repeat(25 * mebibyte - empty.length) });
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': 'large',
    'x-hub-signature-256': signatureOf(body),
  };
  const at = `${url}/api/github/webhooks`;
  expect((await fetch(at, { method: 'POST', headers, body })).status).toBe(200);
  const chunks = new Blob([body]).stream();
  const posted = await fetch(at, { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit);
  expect(posted.status).toBe(200);
});
