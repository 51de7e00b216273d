import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ProgressFeed } from '../../src/page/progress-feed.ts';
import { newsOf } from '../../src/page/views/news.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import { eventually } from '../app/eventually.ts';
import { EventReader } from './events.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';

const run = 'acme/api#1';

const progress = (total: number, saying = ''): Progress => ({
  stage: 'agent',
  since: '2026-11-21T10:00:00Z',
  cost: {},
  near: [],
  calls: { total, failed: 0, denied: 0 },
  last: [],
  saying,
});

const drawn = (total: number) => newsOf(progress(total)).text;

const totalOf = (data: unknown) => Number(/(\d+) tool call/.exec(String(data))?.[1]);

describe('the events of a run', () => {
  let fixture: PageFixture;
  let url = '';
  let cookie = '';

  beforeAll(async () => {
    fixture = await startFixture();
    url = `${fixture.url}/acme/api/pull/${fixture.pull}/progress`;
    const answer = await fetch(`${fixture.url}/?key=${encodeURIComponent(fixture.key)}`, {
      redirect: 'manual',
    });
    cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  });
  afterAll(() => fixture.end());

  test('are for people with a session, on this host, of runs that they may see', async () => {
    const statusOf = async (path: string, init: RequestInit) =>
      (await fetch(fixture.url + path, init)).status;
    const path = new URL(url).pathname;
    expect(await statusOf(path, {})).toBe(401);
    expect(await statusOf(path, { headers: { cookie }, method: 'POST' })).toBe(405);
    expect(await statusOf('/acme/other/pull/1/progress', { headers: { cookie } })).toBe(404);
    expect(await statusOf('/acme/api/pull/999/progress', { headers: { cookie } })).toBe(404);
    expect(await statusOf(`/acme/api/issues/${fixture.issue}/progress`, { headers: { cookie } })).toBe(404);
  });

  test('tell what is new, at once and without anything in between that keeps it back', async () => {
    const reader = await EventReader.open(url, { cookie });
    expect(Object.fromEntries(reader.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(await reader.next()).toMatchObject({ data: newsOf(null).text });
    const name = `acme/api#${fixture.pull}`;
    fixture.progress.show(name, progress(7));
    expect(await reader.next()).toMatchObject({ data: drawn(7) });
    fixture.progress.clear(name);
    expect(await reader.next()).toMatchObject({ data: newsOf(null).text });
    reader.close();
  });
});

describe('a feed', () => {
  let close: (() => Promise<void>) | undefined;
  afterEach(() => close?.());

  async function serve(limits: ConstructorParameters<typeof ProgressFeed>[1] = {}) {
    const board = new ProgressBoard();
    const feed = new ProgressFeed(board, limits);
    const server: Server = createServer((request, response) => feed.open({ request, response }, 1, run));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // of a server that listens on TCP
    close = () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return { board, feed, port, url: `http://127.0.0.1:${port}/` };
  }

  test('tells one who comes back only what they do not know', async () => {
    const { board, url } = await serve();
    board.show(run, progress(1));
    const first = await EventReader.open(url);
    const known = await first.next();
    first.close();

    const again = await EventReader.open(url, { 'last-event-id': known?.id ?? '' });
    board.show(run, progress(2));
    expect(await again.next()).toMatchObject({ data: drawn(2) });
    again.close();

    const late = await EventReader.open(url, { 'last-event-id': known?.id ?? '' });
    expect(await late.next()).toMatchObject({ data: drawn(2) });
    late.close();
  });

  test('ends after a while, so that whoever comes back is asked anew what they may see', async () => {
    const { url } = await serve({ lastsMs: 50 });
    const reader = await EventReader.open(url);
    await reader.next();
    expect(await reader.next()).toBeUndefined();
  });

  test('has room for some pages of a person, and for others beside them', async () => {
    const { feed, url } = await serve({ maxPerPerson: 2 });
    const readers = [await EventReader.open(url), await EventReader.open(url)];
    expect([feed.hasRoomFor(1), feed.hasRoomFor(2)]).toEqual([false, true]);
    for (const reader of readers) reader.close();
    await eventually('room for one more', () => feed.hasRoomFor(1) || undefined);
  });

  test('is silent to one who knows the newest, until there is something new', async () => {
    const { board, url } = await serve({ heartbeatMs: 20 });
    board.show(run, progress(1));
    const first = await EventReader.open(url);
    const known = await first.next();
    first.close();
    const again = await EventReader.open(url, { 'last-event-id': known?.id ?? '' });
    const told = again.next();
    await eventually('two heartbeats', () => (again.beats >= 2 ? true : undefined));
    board.show(run, progress(2));
    expect(await told).toMatchObject({ data: drawn(2) });
    again.close();
  });

  test('skips what is outdated when there is more than four a second', async () => {
    const { board, url } = await serve();
    const reader = await EventReader.open(url);
    await reader.next();
    for (let total = 1; total <= 500; total += 1) board.show(run, progress(total));
    expect(totalOf((await reader.next())?.data)).toBe(500);
    const began = performance.now();
    for (let total = 501; total <= 503; total += 1) {
      board.show(run, progress(total));
      expect(totalOf((await reader.next())?.data)).toBe(total);
    }
    expect(performance.now() - began).toBeGreaterThan(500);
    reader.close();
  });

  test('keeps nothing for one who does not read, and tells them the newest when they do', async () => {
    const { board, port } = await serve({ everyMs: 0, heartbeatMs: 60_000 });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await received(socket, 'event: progress');
    socket.pause();
    const words = 'x'.repeat(200_000);
    for (let total = 1; total <= 300; total += 1) {
      board.show(run, progress(total, words));
      await new Promise((resolve) => setImmediate(() => setTimeout(resolve, 1)));
    }
    socket.resume();
    const text = await received(socket, '300 tool calls');
    const told = text.match(/^data: /gm) ?? [];
    expect(told.length).toBeLessThan(150);
    socket.destroy();
  });

  test('leaves one who never reads', async () => {
    const { board, feed, port } = await serve({ everyMs: 0, heartbeatMs: 30, maxListeners: 1 });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await received(socket, 'event: progress');
    expect(feed.hasRoomFor(1)).toBe(false);
    socket.pause();
    let total = 0;
    await eventually('the listener to be gone', () => {
      total += 1;
      board.show(run, progress(total, 'x'.repeat(3_000_000)));
      return feed.hasRoomFor(1) ? true : undefined;
    });
    socket.destroy();
  });

  test('says now and then that it is still there', async () => {
    const { board, url } = await serve({ heartbeatMs: 20 });
    const reader = await EventReader.open(url);
    await reader.next();
    const next = reader.next();
    await eventually('two heartbeats', () => (reader.beats >= 2 ? true : undefined));
    board.show(run, progress(1));
    expect(await next).toMatchObject({ data: drawn(1) });
    reader.close();
  });

  test('has room for as many as it may, and for nobody after its end', async () => {
    const { feed, url } = await serve({ maxListeners: 2 });
    const readers = [await EventReader.open(url), await EventReader.open(url)];
    for (const reader of readers) await reader.next();
    expect(feed.hasRoomFor(1)).toBe(false);
    readers[0]?.close();
    await eventually('room for another one', () => (feed.hasRoomFor(1) ? true : undefined));
    feed.close();
    expect(await readers[1]?.next()).toBeUndefined();
    expect(feed.hasRoomFor(1)).toBe(false);
  });
});

/** Everything that has arrived when this text has. */
function received(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = '';
    const read = (chunk: Buffer): void => {
      all += chunk.toString();
      if (!all.includes(text)) return;
      socket.off('data', read);
      resolve(all);
    };
    socket.on('data', read);
    socket.once('error', reject);
  });
}
