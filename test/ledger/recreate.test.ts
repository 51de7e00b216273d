import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LedgerPutBack, LedgerTooNew, LedgerVanished } from '../../src/ledger/errors.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

/** A ledger with the events a, b and c, parts of which are then removed. */
let server: GitServer;
let folder: string;
const opened: RunLedger[] = [];
const ref = 'refs/coxswain/open/7';

beforeEach(async () => {
  server = await startGitServer();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-recreate-'));
  const first = open('first');
  for (const id of ['a', 'b', 'c']) await first.record(eventOf(id), appendingId(id));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((ledger) => ledger.close()));
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

/** `drawn`: the sequence number shown on the pull request. */
function open(name: string, drawn = 0): RunLedger {
  const options = {
    ...sealedBy,
    remote: server.remote,
    number: 7,
    deadlineMs: 2000,
    onFault: () => undefined,
  };
  const ledger = openLedger({ ...options, dir: join(folder, name), drawnSeq: async () => drawn });
  opened.push(ledger);
  return ledger;
}

/** An event with only the fields that ledgers read. */
function restored(id = 'restored:d'): Event {
  return { ...eventOf(id), type: 'restored' } as unknown as Event;
}

/** Continues the numbering of the lost ledger, as `restore` in steering does. */
function initialState(id: string, seq: number): Decide {
  return (state) => {
    if (state !== undefined) return { outcome: 'nothing' };
    const verdict = appendingId(id)(undefined);
    return verdict.outcome === 'next'
      ? { ...verdict, state: { ...verdict.state, seq, restored: restoration } }
      : verdict;
  };
}

const restoration = { at: '2026-11-21T10:00:00Z', by: 'mia', lost: 'vanished' } as const;

const recreate = (ledger: RunLedger, id = 'restored:d') =>
  ledger.recreating().record(restored(id), initialState(id, 4));
const refs = async () =>
  (await server.git('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)'))
    .split('\n')
    .filter(Boolean);
const at = (rev: string) => server.git('rev-parse', rev);

test('a ledger that has not reached the expected number is lost', async () => {
  await expect(open('two', 4).read()).rejects.toThrow(LedgerPutBack);
  expect(saidIn((await open('three', 3).read())?.state)).toEqual(['a', 'b', 'c']);
  await server.git('update-ref', '-d', ref);
  await expect(open('four', 1).read()).rejects.toThrow(LedgerVanished);
  expect(await open('five').read()).toBeUndefined();
});

test('a missing ledger is recreated and continued', async () => {
  await server.git('update-ref', '-d', ref);
  const ledger = open('two', 3);
  expect(await recreate(ledger)).toMatchObject({ fresh: true, state: { seq: 4 } });
  expect((await ledger.record(eventOf('e'), appendingId('e'))).state?.seq).toBe(5);
  expect(await refs()).toEqual([`open/7 ${await at(ref)}`]);
  expect(saidIn((await open('three', 4).read())?.state)).toEqual(['restored:d', 'e']);
});

test('the previous content is kept, whatever it is', async () => {
  const blob = await at(`${ref}:state.json`);
  const older = await at(`${ref}~1`);
  for (const content of [older, blob]) {
    await server.git('update-ref', ref, content);
    const drawn = content === older ? 3 : 9;
    await recreate(open(content, drawn), `restored:${content}`);
    expect(await refs()).toContain(`broken/7-${content.slice(0, 7)} ${content}`);
    expect(await server.git('log', '-1', '--format=%b', ref)).toContain(
      `kept as refs/coxswain/broken/7-${content.slice(0, 7)}`,
    );
  }
  // The same content is already kept.
  await server.git('update-ref', ref, older);
  expect(await recreate(open('last', 9), 'restored:x')).toMatchObject({ fresh: true });
  expect(await refs()).toHaveLength(3);
});

test('two processes that recreate it at once do so only once', async () => {
  await server.git('update-ref', '-d', ref);
  const both = await Promise.all([recreate(open('two', 3)), recreate(open('three', 3), 'restored:other')]);
  expect(both.map(({ fresh }) => fresh).sort()).toEqual([false, true]);
  expect(await server.git('rev-list', '--count', ref)).toBe('1');
});

test('a process that has seen more of the lost one continues with the new one', async () => {
  const witness = open('two');
  await witness.read();
  await server.git('update-ref', ref, `${ref}~2`);
  await expect(witness.read()).rejects.toThrow(LedgerPutBack);
  await recreate(open('three', 3));
  expect(saidIn((await witness.read())?.state)).toEqual(['restored:d']);
});

test('an intact ledger is not recreated', async () => {
  expect(await recreate(open('two', 3))).toMatchObject({ fresh: false });
  expect(saidIn((await open('three').read())?.state)).toEqual(['a', 'b', 'c']);
});

test('a ledger of a newer Coxswain is not recreated', async () => {
  const tree = await server.git('ls-tree', ref);
  expect(tree).toContain('state.json');
  const ledger = open('two');
  await ledger.record(eventOf('e'), (state) => {
    const verdict = appendingId('e')(state);
    if (verdict.outcome !== 'next') return verdict;
    // As a newer version would write it.
    return { ...verdict, state: { ...verdict.state, version: 4 as unknown as 3 } };
  });
  await expect(recreate(open('three', 3))).rejects.toThrow(LedgerTooNew);
});
