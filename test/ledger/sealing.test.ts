import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  LedgerBroken,
  LedgerKeyUnknown,
  LedgerOfApp,
  LedgerPutBack,
  LedgerUnsealed,
} from '../../src/ledger/errors.ts';
import { messageOf } from '../../src/ledger/format.ts';
import { type LedgerOptions, openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import { type GitServer, type ServerOptions, startGitServer } from './git-server.ts';
import { ledgerKey, sealedBy, unsealed } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

/** The App's ledger of #7 with the events a and b, and someone who may push whatever they like. */
let seeded: string;
let server: GitServer;
let folder: string;
let dirs = 0;
const opened: RunLedger[] = [];
const ref = 'refs/coxswain/open/7';

beforeAll(async () => {
  await start();
  const first = open();
  for (const id of ['a', 'b']) await record(first, id);
  seeded = await mkdtemp(join(tmpdir(), 'coxswain-seed-'));
  await cp(server.repository, join(seeded, 'repo.git'), { recursive: true });
  await end();
});

afterAll(() => rm(seeded, { recursive: true, force: true }));
beforeEach(() => start({ copyOf: join(seeded, 'repo.git') }));
afterEach(end);

async function start(options: ServerOptions = {}): Promise<void> {
  server = await startGitServer(options);
  folder = await mkdtemp(join(tmpdir(), 'coxswain-sealing-'));
}

async function end(): Promise<void> {
  await Promise.all(opened.splice(0).map((ledger) => ledger.close()));
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
}

function open(options: Partial<LedgerOptions> = {}): RunLedger {
  const given = { ...sealedBy, number: 7, deadlineMs: 2000, onFault: () => undefined, ...options };
  // The options of a test replace those of the App one by one.
  const all = { ...given, remote: server.remote, dir: join(folder, String(dirs++)) } as LedgerOptions;
  const ledger = openLedger(all);
  opened.push(ledger);
  return ledger;
}

const record = (ledger: RunLedger, id: string, decide: Decide = appendingId(id)) =>
  ledger.record(eventOf(id), decide);
const closing = (id: string) => appendingId(id, { phase: 'done' });
const at = (rev: string) => server.git('rev-parse', rev);
const keyed = (setting: string) => ({ seals: openSeals(parseSealKeys(setting)) });
const otherKey = `other:${Buffer.alloc(32, 9).toString('base64')}`;

interface Forgery {
  readonly state?: (json: string) => string;
  readonly log?: (lines: string) => string;
  readonly message?: (message: string) => string;
  readonly parent?: string;
}

/** A commit made from the newest one, with something changed; returns its id. */
async function forge({ state, log, message, parent }: Forgery): Promise<string> {
  for (const [name, change] of [
    ['state.json', state],
    ['events.jsonl', log],
  ] as const) {
    const text = `${await server.git('show', `${ref}:${name}`)}\n`;
    const blob = await server.git('hash-object', '-w', await fileWith(change?.(text) ?? text));
    await server.git('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
  }
  const text = `${await server.git('log', '-1', '--format=%B', ref)}\n`;
  const identity = ['-c', 'user.name=Coxswain', '-c', 'user.email=coxswain@noreply.invalid'];
  const parents = ['-p', parent ?? (await at(`${ref}^`))];
  const file = await fileWith(message?.(text) ?? text);
  return server.git(...identity, 'commit-tree', await server.git('write-tree'), ...parents, '-F', file);
}

async function fileWith(text: string): Promise<string> {
  const path = join(folder, `text-${dirs++}`);
  await writeFile(path, text);
  return path;
}

async function push(commit: string, where = ref): Promise<void> {
  await server.git('update-ref', where, commit);
}

test('every commit is sealed, and every process of the App believes it', async () => {
  const ids = ['c', 'd', 'e'];
  const ledger = open();
  await Promise.all(ids.map((id) => record(ledger, id)));
  const messages = await server.git('log', '--format=%B', ref);
  expect(messages.match(/^Coxswain-Seal: v1 test [\w-]{43}$/gm)).toHaveLength(5);
  expect(saidIn((await open().read())?.state)).toEqual(['a', 'b', ...ids]);
  for (const rev of [`${ref}~1`, `${ref}~1`]) {
    await push(await at(rev));
    expect((await open().read())?.commit).toBe(await at(ref));
  }
});

describe('a ledger that someone else pushed', () => {
  test('is believed if it says what we sealed', async () => {
    const commit = await forge({});
    await push(commit);
    expect(await open().read()).toMatchObject({ commit, key: 'test' });
  });

  test.each<[string, Forgery]>([
    ['a changed state', { state: (json) => json.replace('"queued"', '"approved"') }],
    ['a state that says the same in other words', { state: (json) => ` ${json}` }],
    ['a changed event', { log: (lines) => lines.replace('2026-11-21T10', '2026-11-21T11') }],
    ['another subject', { message: (text) => text.replace('Note b', 'Note c') }],
    ['another event in its trailer', { message: (text) => text.replace('Event: b', 'Event: a') }],
    ['a higher number', { message: (text) => text.replace('Seq: 2', 'Seq: 3') }],
  ])('with %s is not believed', async (_, forgery) => {
    await push(await forge(forgery));
    await expect(open().read()).rejects.toThrow(LedgerBroken);
    await expect(record(open(), 'c')).rejects.toThrow(LedgerBroken);
  });

  test('on another parent is not believed', async () => {
    const child = await forge({ parent: await at(ref) });
    await push(child);
    await expect(open().read()).rejects.toThrow(/its seal is wrong/);
  });

  test('without a seal is not believed, whatever presenter it claims', async () => {
    for (const presenter of ['app', 'action']) {
      const state = (json: string) => json.replace('"number": 7', `"number": 7, "presenter": "${presenter}"`);
      await push(await forge({ state, message: () => messageOf({ subject: 'x', event: 'b', seq: 2 }) }));
      await expect(open().read()).rejects.toThrow(LedgerUnsealed);
    }
  });

  test('is not believed with the seal of another run, repository, or namespace', async () => {
    const commit = await at(ref);
    await push(commit, 'refs/coxswain/open/8');
    await expect(open({ number: 8 }).read()).rejects.toThrow(LedgerBroken);
    await expect(open({ repositoryId: 2 }).read()).rejects.toThrow(/its seal is wrong/);
    await server.git('update-ref', '-d', ref);
    await push(commit, 'refs/coxswain/closed/7');
    await expect(open().read()).rejects.toThrow(/its seal is wrong/);
  });

  test('is not revived by moving it back from the closed ones', async () => {
    await record(open(), 'c', closing('c'));
    const closed = await at('refs/coxswain/closed/7');
    await push(closed);
    await server.git('update-ref', '-d', 'refs/coxswain/closed/7');
    await expect(open().read()).rejects.toThrow(/its seal is wrong/);
  });

  test('may be no commit at all', async () => {
    const state = await at(`${ref}:state.json`);
    const tree = await at(`${ref}^{tree}`);
    for (const object of [state, tree]) {
      await push(object);
      await expect(open().read()).rejects.toThrow(LedgerBroken);
    }
  });

  test('is not read if it is huge', async () => {
    const commit = await forge({ state: () => ' '.repeat(40 * 1024 * 1024) });
    await push(commit);
    await expect(open().read()).rejects.toThrow(/it is larger than/);
  });
});

describe('a genuine commit that was put back', () => {
  test('is noticed by a process that knew a newer one', async () => {
    const witness = open();
    await witness.read();
    await push(await at(`${ref}~1`));
    await expect(witness.read()).rejects.toThrow(LedgerPutBack);
  });

  test('is noticed by any process when a newer one was drawn', async () => {
    await push(await at(`${ref}~1`));
    const heads: (string | null)[] = [];
    const drawnSeq = async (head: string | null) => {
      heads.push(head);
      return 2;
    };
    await expect(open({ drawnSeq }).read()).rejects.toThrow(LedgerPutBack);
    expect(heads).toHaveLength(1);
  });

  test('of a restored ledger is noticed as well', async () => {
    const restored = { at: '2026-11-21T10:00:00Z', by: 'mia', lost: 'vanished' } as const;
    const beginning: Decide = (state) => {
      const verdict = appendingId('restored:x')(state);
      return verdict.outcome === 'next'
        ? { ...verdict, state: { ...verdict.state, seq: 3, restored } }
        : verdict;
    };
    await server.git('update-ref', '-d', ref);
    const drawnSeq = async () => 2;
    const ledger = open({ drawnSeq });
    await ledger.recreating().record(eventOf('restored:x'), beginning);
    const keeping: Decide = (state) => {
      const verdict = appendingId('c')(state);
      return verdict.outcome === 'next' ? { ...verdict, state: { ...verdict.state, restored } } : verdict;
    };
    await record(ledger, 'c', keeping);
    await push(await at(`${ref}~1`));
    await expect(ledger.read()).rejects.toThrow(LedgerPutBack);
  });
});

describe('keys', () => {
  test('are replaced while two processes write: nothing is lost, and each waits for the other’s key', async () => {
    const before = open(keyed(ledgerKey));
    const after = open(keyed(`${otherKey},${ledgerKey}`));
    await record(before, 'c');
    await record(after, 'd');
    await expect(record(before, 'e')).rejects.toThrow(LedgerKeyUnknown);
    const updated = open(keyed(`${ledgerKey},${otherKey}`));
    await Promise.all([record(updated, 'e'), record(after, 'f')]);
    expect(saidIn((await open(keyed(`${otherKey},${ledgerKey}`)).read())?.state)).toHaveLength(6);
  });

  test('that are unknown stop nothing that the process knew to be newer', async () => {
    const witness = open();
    await record(witness, 'c');
    const forged = await forge({ message: (text) => text.replace('v1 test', 'v1 later') });
    await push(forged);
    await expect(open().read()).rejects.toThrow(/^ledger of #7 .*"later"/);
    const older = await forge({
      message: (text) => text.replace('v1 test', 'v1 later').replace('Seq: 3', 'Seq: 2'),
    });
    await push(older);
    await expect(witness.read()).rejects.toThrow(LedgerPutBack);
  });

  test('that are lost leave no ledger to believe, and those of ended runs remain readable', async () => {
    await expect(open(keyed(`${otherKey},!test`)).read()).rejects.toThrow(
      expect.objectContaining({ name: 'LedgerKeyLost', key: 'test' }),
    );
    await expect(open(keyed(`${otherKey},-${ledgerKey}`)).read()).rejects.toThrow(
      expect.objectContaining({ name: 'LedgerKeyUnknown', key: 'test', retired: true }),
    );
    await record(open(), 'c', closing('c'));
    expect(saidIn((await open(keyed(`${otherKey},-${ledgerKey}`)).read())?.state)).toEqual(['a', 'b', 'c']);
  });
});

test('the Action leaves the ledgers of the App alone, and writes its own without a seal', async () => {
  await expect(open({ ...unsealed, seals: undefined }).read()).rejects.toThrow(LedgerOfApp);
  await expect(record(open({ ...unsealed, seals: undefined }), 'c')).rejects.toThrow(LedgerOfApp);
  const own = open({ ...unsealed, seals: undefined, number: 8 });
  await own.record(eventOf('a'), (state) => {
    const verdict = appendingId('a')(state);
    if (verdict.outcome !== 'next') return verdict;
    return { ...verdict, state: { ...verdict.state, run: { ...verdict.state.run, number: 8 } } };
  });
  expect(await server.git('log', '-1', '--format=%B', 'refs/coxswain/open/8')).not.toContain('Seal');
});

test('an operator can seal a ledger of before as it is', async () => {
  await push(await forge({ message: () => messageOf({ subject: 'x', event: 'b', seq: 2 }) }));
  await expect(open().read()).rejects.toThrow(LedgerUnsealed);
  const trusting = open({ unsealed: 'accepted' });
  expect((await trusting.read())?.key).toBeNull();
  await record(trusting, 'c');
  expect(await open().read()).toMatchObject({ key: 'test', state: { seq: 3 } });
});
