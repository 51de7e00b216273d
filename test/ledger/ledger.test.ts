import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LedgerBroken, LedgerBusy, LedgerDeclined, LedgerTooNew } from '../../src/ledger/errors.ts';
import { type LedgerOptions, openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { unsealed } from './identity.ts';
import { appendingId, eventOf, nothing, saidIn } from './sample.ts';

let seeded: string;
let server: GitServer;
let folder: string;
let faults: Event[];
let opened: RunLedger[];

/** Every test starts with a run whose first event, `a`, is recorded. */
beforeAll(async () => {
  seeded = await mkdtemp(join(tmpdir(), 'coxswain-seed-'));
  const first = await startGitServer();
  const options = {
    ...unsealed,
    dir: join(seeded, 'ledger'),
    remote: first.remote,
    number: 7,
    onFault: () => undefined,
  };
  await openLedger(options).record(eventOf('a'), appendingId('a'));
  await cp(first.repository, join(seeded, 'repo.git'), { recursive: true });
  await first.close();
});

afterAll(() => rm(seeded, { recursive: true, force: true }));

beforeEach(async () => {
  server = await startGitServer({ token: 'ghs_secret1234567890', copyOf: join(seeded, 'repo.git') });
  folder = await mkdtemp(join(tmpdir(), 'coxswain-ledger-'));
  faults = [];
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((ledger) => ledger.close()));
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

const open = (name = 'one', options: Partial<LedgerOptions> = {}): RunLedger => {
  const ledger = openLedger({
    ...unsealed,
    dir: join(folder, name),
    remote: server.remote,
    number: 7,
    random: () => 0.1,
    onFault: (_, event) => faults.push(event),
    ...options,
  });
  opened.push(ledger);
  return ledger;
};
const record = (ledger: RunLedger, id: string, phase?: 'queued' | 'done') =>
  ledger.record(eventOf(id), appendingId(id, phase && { phase }));
const pushes = (): number => server.requests.filter((line) => /POST .*receive-pack/.test(line)).length;
const history = async (ref = 'refs/coxswain/open/7'): Promise<string[]> =>
  (await server.git('log', '--reverse', '--format=%s', ref)).split('\n');
const refs = () => server.git('for-each-ref', '--format=%(refname)', 'refs/coxswain');

test('an event becomes one commit with its subject, its trailers and its time', async () => {
  const { state, fresh } = await record(open(), 'comment:1@x');
  expect(fresh).toBe(true);
  expect(saidIn(state)).toEqual(['a', 'comment:1@x']);
  const commit = await server.git('show', '--no-patch', '--format=%an%n%aI%n%B', 'refs/coxswain/open/7');
  expect(commit).toBe(
    'Coxswain\n2026-11-21T10:00:00+00:00\nNote comment:1@x\n\nCoxswain-Event: comment:1@x\nCoxswain-Seq: 2',
  );
  expect(await server.git('ls-tree', '--name-only', 'refs/coxswain/open/7')).toBe('events.jsonl\nstate.json');
});

test('a ledger without a started run does not exist', async () => {
  const other = open('other', { number: 8 });
  expect(await other.read()).toBeUndefined();
  expect(await other.events()).toEqual([]);
});

test('another process reads what was recorded', async () => {
  await record(open(), 'b');
  const other = open('two');
  const snapshot = await other.read();
  expect(snapshot).toMatchObject({ ref: 'refs/coxswain/open/7', seen: new Set(['a', 'b']) });
  expect(saidIn(snapshot?.state)).toEqual(['a', 'b']);
  expect((await other.events()).map(({ id }) => id)).toEqual(['a', 'b']);
});

test('an event that is already recorded changes nothing', async () => {
  const one = open();
  await record(one, 'b');
  for (const ledger of [one, open('two')]) {
    const again = await record(ledger, 'a');
    expect(again.fresh).toBe(false);
    expect(saidIn(again.state)).toEqual(['a', 'b']);
  }
  expect(await history()).toEqual(['Note a', 'Note b']);
});

test('an event that changes nothing makes no commit', async () => {
  const ledger = open();
  expect(await ledger.record(eventOf('b'), nothing)).toMatchObject({ fresh: false });
  expect(await history()).toEqual(['Note a']);
});

test('an event that would change nothing is decided on the newest state', async () => {
  const ledger = open();
  await ledger.read();
  await record(open('two'), 'b');
  const afterB: Decide = (state) =>
    saidIn(state).includes('b') ? appendingId('c')(state) : { outcome: 'nothing' };
  expect(await ledger.record(eventOf('c'), afterB)).toMatchObject({ fresh: true });
  expect(await history()).toEqual(['Note a', 'Note b', 'Note c']);
});

test('if another process was first, the event is decided again on its state', async () => {
  const one = open();
  await one.read();
  await record(open('two'), 'b');
  expect(saidIn((await record(one, 'c')).state)).toEqual(['a', 'b', 'c']);
});

test('events recorded at once go out in one push, with one commit each', async () => {
  const ledger = open();
  const ids = Array.from({ length: 12 }, (_, index) => `event-${index}`);
  await Promise.all(ids.map((id) => record(ledger, id)));
  expect(pushes()).toBe(1);
  expect(await history()).toEqual(['a', ...ids].map((id) => `Note ${id}`));
});

test('events recorded during a push go out with the next one', async () => {
  const ledger = open();
  await ledger.read();
  const first = record(ledger, 'first');
  await Promise.resolve();
  await Promise.resolve();
  const rest = Array.from({ length: 20 }, (_, index) => record(ledger, `rest-${index}`));
  await Promise.all([first, ...rest]);
  expect(pushes()).toBe(2);
  expect(await history()).toHaveLength(22);
});

test('a cached ledger records with one push and no fetch', async () => {
  const ledger = open();
  await ledger.read();
  const before = server.requests.length;
  await record(ledger, 'b');
  expect(server.requests.slice(before).filter((line) => line.includes('upload-pack'))).toEqual([]);
});

test('a decision that throws fails only its own event', async () => {
  const ledger = open();
  const failing: Decide = () => {
    throw new Error('a bug');
  };
  const results = await Promise.allSettled([
    record(ledger, 'b'),
    ledger.record(eventOf('c'), failing),
    record(ledger, 'd'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await history()).toEqual(['Note a', 'Note b', 'Note d']);
});

test('a run that ends moves to `closed` in the same push, and back when it is reopened', async () => {
  const ledger = open();
  await record(ledger, 'end', 'done');
  expect(await refs()).toBe('refs/coxswain/closed/7');
  expect(saidIn((await open('two').read())?.state)).toEqual(['a', 'end']);
  await record(open('three'), 'again', 'queued');
  expect(await refs()).toBe('refs/coxswain/open/7');
  expect(await history()).toEqual(['Note a', 'Note end', 'Note again']);
});

test('an ended run is not revived by a process with an outdated cache', async () => {
  const late = open('late');
  await late.read();
  await record(open(), 'end', 'done');
  await record(late, 'b');
  expect(await refs()).toBe('refs/coxswain/closed/7');
  expect(await history('refs/coxswain/closed/7')).toEqual(['Note a', 'Note end', 'Note b']);
});

test('a run that another process started and ended while we were starting it is not revived', async () => {
  await server.git('update-ref', '-d', 'refs/coxswain/open/7');
  const other = open('other');
  const meanwhile = async (): Promise<void> => {
    await record(other, 'begin');
    await record(other, 'end', 'done');
  };
  server.failNext(/info\/refs\?service=git-receive-pack/, { first: meanwhile });
  expect(await record(open('late'), 'begin')).toMatchObject({ fresh: false });
  expect(await refs()).toBe('refs/coxswain/closed/7');
  expect(await history('refs/coxswain/closed/7')).toEqual(['Note begin', 'Note end']);
});

test('a deferred event is written with the next', async () => {
  const ledger = open();
  ledger.defer(eventOf('b'), appendingId('b'));
  await record(ledger, 'c');
  expect(pushes()).toBe(1);
  expect(await history()).toEqual(['Note a', 'Note b', 'Note c']);
});

test('a deferred event is written alone if nothing follows', async () => {
  const ledger = open('one', { deferMs: 10 });
  ledger.defer(eventOf('b'), appendingId('b'));
  await expect.poll(history).toEqual(['Note a', 'Note b']);
});

test('a closed ledger writes deferred events and accepts no more', async () => {
  const ledger = open();
  ledger.defer(eventOf('b'), appendingId('b'));
  await ledger.close();
  expect(await history()).toEqual(['Note a', 'Note b']);
  await expect(record(ledger, 'c')).rejects.toThrow('could not record c: the ledger of #7 is closed');
});

test('a deferred event that fails is reported', async () => {
  const ledger = open();
  ledger.defer(eventOf('b', 'no time'), appendingId('b'));
  await ledger.flush();
  expect(faults.map(({ id }) => id)).toEqual(['b']);
});

test('a push whose response was lost is not recorded twice', async () => {
  const ledger = open();
  await ledger.read();
  server.failNext(/POST .*receive-pack/, 'cut_after');
  expect(await record(ledger, 'b')).toMatchObject({ fresh: true });
  await record(ledger, 'c');
  expect(await history()).toEqual(['Note a', 'Note b', 'Note c']);
});

test.each([
  ['cut before it arrived', 'cut_before'],
  ['answered 503', { status: 503 }],
] as const)('a push that was %s is retried', async (_, failure) => {
  const ledger = open();
  await ledger.read();
  server.failNext(/receive-pack/, failure);
  server.failNext(/upload-pack/, failure);
  expect(await record(ledger, 'b')).toMatchObject({ fresh: true });
  expect(await history()).toEqual(['Note a', 'Note b']);
});

test('after the deadline the ledger is busy, and says why', async () => {
  const url = 'http://127.0.0.1:9/repo.git';
  const ledger = open('one', { remote: { url }, deadlineMs: 50, random: () => 1 });
  await expect(record(ledger, 'b')).rejects.toThrow(LedgerBusy);
  await expect(record(ledger, 'b')).rejects.toThrow(/could not write the ledger of #7 at http.*within 50 ms/);
});

test('a token that may only read is named after a moment', async () => {
  const ledger = open();
  await ledger.read();
  for (let push = 0; push < 20; push++) server.failNext(/receive-pack/, { status: 403 });
  const recording = record(ledger, 'b');
  await expect(recording).rejects.toThrow(LedgerBusy);
  await expect(recording).rejects.toThrow(
    /the ledger of #7 at http.*: the token may only read.*contents: write/,
  );
  expect(server.requests.filter((line) => line.includes('receive-pack'))).toHaveLength(3);
});

test('rules that forbid the ledger are quoted', async () => {
  await server.hook('pre-receive', 'echo "error: GH013: no refs like this" >&2; exit 1');
  const recording = record(open(), 'b');
  await expect(recording).rejects.toThrow(LedgerDeclined);
  await expect(recording).rejects.toThrow(/GH013: no refs like this/);
});

test('a damaged directory is recreated', async () => {
  const ledger = open();
  await ledger.read();
  await rm(join(folder, 'one', 'objects'), { recursive: true });
  await record(ledger, 'b');
  await rm(join(folder, 'one'), { recursive: true });
  await record(ledger, 'c');
  expect(saidIn((await ledger.read())?.state)).toEqual(['a', 'b', 'c']);
});

test('a subject cannot add trailers', async () => {
  const decide: Decide = (state) => {
    const verdict = appendingId('b')(state);
    if (verdict.outcome === 'nothing') return verdict;
    return { ...verdict, subject: 'Steer\n\nCoxswain-Event: forged\nCoxswain-Seq: 99' };
  };
  await open().record(eventOf('b'), decide);
  expect((await open('two').read())?.seen).toEqual(new Set(['a', 'b']));
});

const forge = async (files: Record<string, string>, message: string): Promise<void> => {
  const blobs = Object.entries(files).map(
    ([path, content]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
  );
  const head = `commit refs/coxswain/open/7\ncommitter x <x> 0 +0000\n`;
  const stream = `${head}data ${Buffer.byteLength(message)}\n${message}\n${blobs.join('')}\n`;
  const { git } = await import('../../src/git/git.ts');
  await git(['fast-import', '--quiet', '--force'], {
    cwd: server.repository,
    env: { GIT_DIR: server.repository },
    input: stream,
  });
};
const state = '{"version":1,"seq":1,"run":{"number":7},"standing":{"phase":"queued"}}';
const trailers = 'x\n\nCoxswain-Event: a\nCoxswain-Seq: 1\n';

test.each([
  ['no state', { 'events.jsonl': '{"id":"a","type":"settled"}\n' }, trailers, /state\.json is missing/],
  ['no JSON', { 'state.json': '{', 'events.jsonl': '' }, trailers, /state\.json is not JSON/],
  ['no state at all', { 'state.json': '{"version":1}' }, trailers, /is not a valid state/],
  ['no events', { 'state.json': state }, trailers, /it has no events/],
  [
    'another run',
    { 'state.json': state.replace('7', '8'), 'events.jsonl': '{"id":"a","type":"t"}\n' },
    trailers,
    /its state belongs to #8/,
  ],
  [
    'an event left out',
    { 'state.json': state, 'events.jsonl': '{"id":"b","type":"t"}\n' },
    trailers,
    /the commit is for event a, its last event is b/,
  ],
  [
    'another number',
    { 'state.json': state.replace('"seq":1', '"seq":2'), 'events.jsonl': '{"id":"a","type":"t"}\n' },
    trailers,
    /the commit is number 1, its state is number 2/,
  ],
  [
    'an event twice',
    { 'state.json': state, 'events.jsonl': '{"id":"a","type":"t"}\n{"id":"a","type":"t"}\n' },
    trailers,
    /twice/,
  ],
])('a ledger with %s is broken, and says why', async (_, files, message, expected) => {
  await forge(Object.fromEntries(Object.entries(files)), message);
  const reading = open().read();
  await expect(reading).rejects.toThrow(LedgerBroken);
  await expect(reading).rejects.toThrow(expected);
});

test('an id that an earlier version cut in its trailer is read in full, and the ledger continues', async () => {
  const id = `settled:${Array.from({ length: 60 }, (_, n) => `comment:${n}@2026-11-21T10:00:00Z:reply`).join(',')}`;
  const events = `${JSON.stringify(eventOf(id))}\n`;
  const cut = `x\n\nCoxswain-Event: ${id.slice(0, 999)}…\nCoxswain-Seq: 1`;
  await forge({ 'state.json': state, 'events.jsonl': events }, cut);
  const ledger = open();
  expect((await ledger.read())?.seen).toEqual(new Set([id]));
  expect((await record(ledger, 'b')).fresh).toBe(true);
});

test('an event with a too long id is not recorded', async () => {
  const recording = record(open(), 'b,'.repeat(300));
  await expect(recording).rejects.toThrow(/its id has 600 characters, at most 500 are allowed/);
});

test('a ledger without events that we have seen is broken', async () => {
  const ledger = open();
  const before = await server.git('rev-parse', 'refs/coxswain/open/7');
  await record(ledger, 'b');
  await server.git('update-ref', 'refs/coxswain/open/7', before);
  await expect(ledger.read()).rejects.toThrow(/it was reset to an older one, without b/);
  await server.git('update-ref', '-d', 'refs/coxswain/open/7');
  await expect(record(ledger, 'c')).rejects.toThrow(/it no longer exists/);
});

test('a ledger that others close and reopen between our requests is not lost', async () => {
  const ledger = open();
  await record(ledger, 'b');
  const move = (from: string, to: string) => async () => {
    await server.git('update-ref', `refs/coxswain/${to}/7`, `refs/coxswain/${from}/7`);
    await server.git('update-ref', '-d', `refs/coxswain/${from}/7`);
  };
  const moves = [move('open', 'closed'), move('closed', 'open'), move('open', 'closed')];
  for (const first of moves) server.failNext(/GET .*upload-pack/, { first });
  expect(await ledger.read()).toMatchObject({ state: { seq: 2 }, ref: 'refs/coxswain/closed/7' });
});

test('a ledger of a newer Coxswain is rejected with a request to upgrade', async () => {
  await forge({ 'state.json': '{"version":4}', 'events.jsonl': '' }, trailers);
  await expect(open().read()).rejects.toThrow(LedgerTooNew);
  await expect(open().read()).rejects.toThrow(/upgrade/);
});
