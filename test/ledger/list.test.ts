import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/ledger.ts';
import { listLedgers } from '../../src/ledger/list-ledgers.ts';
import type { Phase } from '../../src/steering/shapes/standing.ts';
import type { PendingEffect } from '../../src/steering/state/pending-effect.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { unsealed } from './identity.ts';
import { appendingId, eventOf } from './sample.ts';

let server: GitServer;
let folder: string;

beforeEach(async () => {
  server = await startGitServer();
  await server.git('config', 'uploadpack.allowFilter', 'true');
  folder = await mkdtemp(join(tmpdir(), 'coxswain-list-'));
});

afterEach(() => Promise.all([server.close(), rm(folder, { recursive: true, force: true })]));

async function records(number: number, phase: Phase, owed: readonly PendingEffect[] = []): Promise<void> {
  const options = { ...unsealed, remote: server.remote, number, onFault: () => undefined };
  const ledger = openLedger({ ...options, dir: join(folder, String(number)) });
  await ledger.record(eventOf('a'), appendingId('a', { phase, owed }));
  await ledger.close();
}

const list = () => listLedgers(join(folder, 'all'), server.remote);

async function listed(): Promise<readonly string[]> {
  const found = await list();
  return found
    .map(({ namespace, number, settled }) => `${namespace}/${number}${settled ? ' settled' : ''}`)
    .sort();
}

/** Requests that are answered with refs or with objects. */
const uploads = () => server.requests.filter((line) => /POST .*upload-pack/.test(line)).length;

test('all ledgers are found with one fetch, and none is read', async () => {
  await records(7, 'working');
  await records(8, 'done');
  await server.git('update-ref', 'refs/coxswain/open/9', 'refs/coxswain/open/7');
  await server.git('update-ref', 'refs/coxswain/open/10', 'refs/coxswain/open/7:state.json');
  await server.git('update-ref', 'refs/coxswain/closed/11', 'refs/coxswain/open/7:state.json');
  const before = uploads();
  expect(await listed()).toEqual(['closed/11', 'closed/8 settled', 'open/10', 'open/7', 'open/9']);
  expect(uploads() - before).toBe(2);
  await server.git('update-ref', '-d', 'refs/coxswain/open/7');
  expect(await listed()).toEqual(['closed/11', 'closed/8 settled', 'open/10', 'open/9']);
});

test('a repository without ledgers has an empty list', async () => {
  expect(await list()).toEqual([]);
});

test('a run that has ended is settled when none of its effects is left', async () => {
  await records(7, 'working');
  await records(8, 'rejected', [{ id: 'b:withdraw', do: 'withdraw', heads: [], approved: true }]);
  await records(9, 'rejected');
  expect(await listed()).toEqual(['closed/8', 'closed/9 settled', 'open/7']);
});

test('a subject cannot say that a run is settled', async () => {
  const options = { ...unsealed, remote: server.remote, number: 7, onFault: () => undefined };
  const ledger = openLedger({ ...options, dir: join(folder, '7') });
  const effect: PendingEffect = { id: 'b:withdraw', do: 'withdraw', heads: [], approved: true };
  await ledger.record(eventOf('a'), (state) => {
    const verdict = appendingId('a', { phase: 'rejected', owed: [effect] })(state);
    return { ...verdict, subject: 'No.\n\nCoxswain-Owes: nothing\n' };
  });
  await ledger.close();
  expect(await listed()).toEqual(['closed/7']);
});

test('the files of a ledger are not fetched', async () => {
  await records(7, 'working');
  await list();
  const objects = await readdir(join(folder, 'all', 'objects', 'pack'));
  expect(objects.filter((name) => name.endsWith('.pack'))).toHaveLength(1);
  await expect(
    server.git('--git-dir', join(folder, 'all'), 'rev-list', '--objects', '--missing=print', '--all'),
  ).resolves.toMatch(/^\?[0-9a-f]{40}$/m);
});
