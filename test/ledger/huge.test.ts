import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { listLedgers } from '../../src/ledger/list-ledgers.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

/** A ref in place of a ledger that has more data than any ledger of ours, which cannot be compressed. */
let server: GitServer;
let folder: string;

beforeAll(async () => {
  server = await startGitServer();
  await server.git('config', 'uploadpack.allowFilter', 'true');
  folder = await mkdtemp(join(tmpdir(), 'coxswain-huge-'));
  const sound = open(8);
  await sound.record(eventOf('a'), appendingId('a'));
  await sound.close();
  const blob = join(folder, 'huge');
  await writeFile(blob, randomBytes(70 * 1024 * 1024));
  const id = (await server.git('hash-object', '-w', blob)).trim();
  await server.git('update-ref', 'refs/coxswain/open/7', id);
  await rm(blob);
});

afterAll(() => Promise.all([server.close(), rm(folder, { recursive: true, force: true })]));

function open(number: number): RunLedger {
  const options = { ...sealedBy, remote: server.remote, number, onFault: () => undefined };
  return openLedger({ ...options, dir: join(folder, String(number)) });
}

/** What is stored of the remote's objects. */
async function filesIn(name: string): Promise<readonly string[]> {
  const found = await readdir(join(folder, name, 'objects'), { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('neither ends the listing of the others nor stays on the disk', async () => {
  const found = await listLedgers(join(folder, 'all'), server.remote);
  expect(found.map(({ number }) => number).sort()).toEqual([7, 8]);
  expect(await filesIn('all')).toEqual([]);
});

test('is a lost ledger, which can be replaced, but is not kept', async () => {
  const ledger = open(7);
  await expect(ledger.read()).rejects.toThrow(/is larger than 67108864 bytes/);
  expect(await filesIn('7')).toEqual([]);
  const restored = { ...eventOf('restored:d'), type: 'restored' } as unknown as Event;
  await ledger.recreating().record(restored, appendingId('d'));
  expect(saidIn((await ledger.read())?.state)).toEqual(['d']);
  expect(await server.git('for-each-ref', 'refs/coxswain/broken')).toBe('');
  await ledger.close();
});
