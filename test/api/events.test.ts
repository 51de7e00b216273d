import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventKinds } from '../../src/api/event-schema.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import { eventually } from '../app/eventually.ts';
import type { ServerEvent } from '../page/events.ts';
import { number, saveRunForApproval } from '../runs/approved-run.ts';
import { type RunsFixture, type SavedForge, startRunsFixture } from '../runs/runs-fixture.ts';
import { serveEvents } from './events-server.ts';

/** A run of Ada's that waits for approval, and those who listen to it. */
let saved: SavedForge;
let fixture: RunsFixture;
let server: Awaited<ReturnType<typeof serveEvents>> | undefined;

beforeAll(async () => {
  saved = await saveRunForApproval();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(async () => {
  await server?.close();
  await fixture.end();
});

const often = { lookEveryMs: 20 };
const never = { lookEveryMs: 3_600_000 };

async function served(limits: Parameters<typeof serveEvents>[0]['limits'] = often) {
  server = await serveEvents({ ...fixture.run(number), limits });
  return server;
}

const namesOf = (events: readonly ServerEvent[]) => events.map(({ event }) => event);
const idsOf = (events: readonly ServerEvent[]) => events.flatMap(({ id }) => (id === '' ? [] : [Number(id)]));

const begun = ['run_started', 'attempt_started', 'attempt_finished', 'approval_requested'];

describe('whoever listens to a run', () => {
  test('is told where it stands, and then what this process records as soon as it is recorded', async () => {
    const { listen } = await served(never);
    const reader = await listen();
    const state = await reader.next();
    expect(state).toMatchObject({
      event: 'state',
      data: {
        run: `acme/api#${number}`,
        phase: 'awaiting_approval',
        approval_request: { kind: 'approval', status: 'waiting_approval' },
      },
    });
    await fixture.says('mia', number, '/approve');
    const told = await reader.until('approval_received');
    expect(namesOf(told)).toEqual(['approval_received']);
    expect(told[0]).toMatchObject({ data: { actor: 'mia', run: `acme/api#${number}` } });
    expect(Math.min(...idsOf(told))).toBeGreaterThan(Number(state?.id));
  });

  test('is told what another process records, within the time between two looks', async () => {
    const { listen } = await served();
    const reader = await listen();
    await reader.until('state');
    fixture.switches();
    await fixture.says('bob', number, '/steer Use UTC');
    const told = await reader.until('approval_requested');
    expect(namesOf(told)).toEqual(['steer_instruction', ...begun.slice(1)]);
    expect(told[0]?.data).toMatchObject({ actor: 'bob', length: 7 });
    expect(JSON.stringify(told)).not.toContain('Use UTC');
    fixture.switches();
    await fixture.says('mia', number, '/cancel');
    expect(namesOf(await reader.until('run_finished'))).toContain('run_finished');
  });

  test('is told everything since the beginning if they ask for it, and has data of the published schemas', async () => {
    const { listen } = await served();
    const told = await (await listen('?since=0')).until('approval_requested');
    expect(namesOf(told)).toEqual(begun);
    for (const { event, data } of told) expect(eventKinds[event]?.shape.strict().parse(data)).toEqual(data);
    const state = await (await listen()).next();
    expect(eventKinds['state']?.shape.strict().parse(state?.data)).toEqual(state?.data);
  });

  test('loses nothing and hears nothing twice when the connection breaks, wherever that is', async () => {
    const { listen } = await served();
    await fixture.says('bob', number, '/steer Use UTC');
    await fixture.says('mia', number, '/reject Not this');
    const all = await (await listen('?since=0')).until('run_finished');
    expect(namesOf(all).slice(-2)).toEqual(['approval_rejected', 'run_finished']);
    const cuts = all.flatMap(({ id }, nth) => (id === '' ? [] : [{ id, nth }]));
    expect(cuts.length).toBeGreaterThan(4);
    for (const { id, nth } of cuts.slice(0, -1)) {
      const again = await listen('?since=0', { 'last-event-id': id });
      expect(await again.until('run_finished')).toEqual(all.slice(nth + 1));
      again.close();
    }
  });

  test('is told again what has the same number as an event that was cut off', async () => {
    const { listen } = await served();
    const all = await (await listen('?since=0')).until('approval_requested');
    const [ended, asked] = all.slice(-2);
    expect(ended?.data).toMatchObject({ seq: Number(asked?.id) });
    expect(ended?.id).toBe('');
    const again = await listen('', { 'last-event-id': all.at(-3)?.id ?? '' });
    expect(await again.until('approval_requested')).toEqual([ended, asked]);
  });

  test('is told the newest of what an agent does, without an id', async () => {
    const { listen, progress } = await served();
    const reader = await listen();
    await reader.until('state');
    const name = `acme/api#${number}`;
    for (let total = 1; total <= 200; total += 1) progress.show(name, atWork(total));
    const newest = await reader.next();
    expect(newest).toMatchObject({
      id: '',
      event: 'progress',
      data: { progress: { calls: { total: 200 } } },
    });
    expect(eventKinds['progress']?.shape.strict().parse(newest?.data)).toEqual(newest?.data);
    progress.clear(name);
    const ended = await reader.next();
    expect(ended).toEqual({
      id: '',
      event: 'progress',
      data: { event: 'progress', run: name, progress: null },
    });
    progress.show(name, atWork(7));
    const late = await listen();
    await late.until('state');
    expect(await late.next()).toMatchObject({ data: { progress: { calls: { total: 7 } } } });
  });

  test('cannot come back with an id that no event has', async () => {
    const { refused } = await served();
    expect(await refused({ 'last-event-id': 'x7' })).toMatchObject({ status: 400 });
  });
});

describe('a ledger', () => {
  test('that was lost and begun anew is told from its beginning', async () => {
    const { listen } = await served();
    const reader = await listen();
    await reader.until('state');
    await fixture.gitAsAda('push', '--quiet', fixture.url, `:refs/coxswain/open/${number}`);
    fixture.switches();
    await fixture.says('mia', number, '/resume');
    const told = await reader.until('approval_requested');
    expect(namesOf(told)[0]).toBe('run_started');
    const last = told.at(-1)?.id ?? '';
    const again = await listen('', { 'last-event-id': last });
    await fixture.says('mia', number, '/cancel');
    expect(namesOf(await again.until('run_finished'))).toEqual(namesOf(await reader.until('run_finished')));
  });

  test('with smaller numbers than those that were told is told whole', async () => {
    const { listen } = await served();
    const reader = await listen('', { 'last-event-id': '4711' });
    expect(namesOf(await reader.until('approval_requested'))).toEqual(begun);
  });

  test('that cannot be read for a while is read later, and that is logged once', async () => {
    const { listen, warnings } = await served();
    const reader = await listen();
    await reader.until('state');
    const ref = `refs/coxswain/open/${number}`;
    await fixture.gitAsAda('fetch', '--quiet', fixture.url, `+${ref}:refs/kept`);
    await fixture.gitAsAda('push', '--quiet', fixture.url, `:${ref}`);
    await eventually('a warning', () => warnings[0]);
    await fixture.gitAsAda('push', '--quiet', fixture.url, `refs/kept:${ref}`);
    fixture.switches();
    await fixture.says('mia', number, '/cancel');
    expect(namesOf(await reader.until('run_finished'))).toContain('run_finished');
    expect(warnings).toEqual([expect.stringContaining('it no longer exists')]);
  });
});

describe('a stream', () => {
  test.each([
    ['rights_withdrawn', async () => false],
    ['rights_unknown', () => Promise.reject(new Error('GitHub is down'))],
  ])('ends when somebody may not read any more: %s', async (why, mayRead) => {
    const { listen, rights } = await served({ ...never, askEveryMs: 20 });
    const reader = await listen();
    await reader.until('state');
    rights.mayRead = mayRead;
    const [closed] = await reader.until('closed');
    expect(closed).toMatchObject({ event: 'closed', id: '', data: { why } });
    expect(eventKinds['closed']?.shape.strict().parse(closed?.data)).toEqual(closed?.data);
    expect(await reader.next()).toBeUndefined();
  });

  test('ends with the server', async () => {
    const { listen, feed, refused } = await served();
    const reader = await listen();
    await reader.until('state');
    feed.close();
    expect((await reader.until('closed')).at(-1)).toMatchObject({ data: { why: 'stopping' } });
    expect(await refused()).toMatchObject({ status: 503 });
  });

  test('is one of so many in all and for each person, and gives its place back', async () => {
    const { listen, refused } = await served({ ...never, maxListeners: 3, maxPerPerson: 2 });
    const first = await listen();
    await listen();
    expect(await refused()).toMatchObject({ status: 429, retryAfter: '60' });
    await listen('', { 'x-person': 'bob' });
    expect(await refused({ 'x-person': 'mia' })).toMatchObject({ status: 503, retryAfter: '30' });
    first.close();
    const next = () => listen('', { 'x-person': 'mia' }).then((reader) => reader.next());
    await eventually('a place', async () => ((await next())?.event === 'state' ? true : undefined));
  });

  test('that nobody reads is ended, and keeps nothing of what it would have told', async () => {
    const { listen, port, progress } = await served({
      ...never,
      everyMs: 0,
      heartbeatMs: 30,
      maxListeners: 1,
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // it is reset
    await new Promise<void>((resolve) => {
      socket.once('data', () => resolve());
      socket.write('GET /?since=0 HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.pause();
    await eventually('the listener to be gone', async () => {
      progress.show(`acme/api#${number}`, { ...atWork(1), saying: 'x'.repeat(3_000_000) });
      const reader = await listen();
      return (await reader.next())?.event === 'state' ? true : undefined;
    });
    socket.destroy();
  });
});

test('a hundred listeners to one run cost one look and hear the same', async () => {
  const { listen } = await served({ lookEveryMs: 200, maxPerPerson: 200 });
  const looks = () => fixture.forge.requests.git.length;
  const readers = await Promise.all(Array.from({ length: 100 }, () => listen()));
  await Promise.all(readers.map((reader) => reader.until('state')));
  const before = looks();
  const began = performance.now();
  await eventually('some looks', () => (looks() - before >= 6 ? true : undefined));
  expect((performance.now() - began) / 200).toBeGreaterThan(2);
  fixture.switches();
  await fixture.says('mia', number, '/cancel');
  const told = await Promise.all(readers.map((reader) => reader.until('run_finished')));
  expect(new Set(told.map((events) => JSON.stringify(events))).size).toBe(1);
});

function atWork(total: number): Progress {
  const calls = { total, failed: 0, denied: 0 };
  return { stage: 'agent', since: '2026-11-21T10:00:00Z', cost: {}, near: [], calls, last: [], saying: '' };
}
