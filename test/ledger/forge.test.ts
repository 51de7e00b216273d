import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimBranch, PushRefused } from '../../src/git/claim-branch.ts';
import { type Mirror, openMirror } from '../../src/git/mirror.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { listLedgers } from '../../src/ledger/list-ledgers.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

const at = '2026-11-21T10:00:00Z';

let forge: Forge;
let folder: string;
let mirror: Mirror;

beforeAll(async () => {
  forge = await startForge();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-forge-'));
  const token = forge.seed.addUser('ada');
  forge.seed.addOrganization('acme');
  await forge.seed.addRepository({ owner: 'acme', name: 'api', files: { 'README.md': 'hello\n' } });
  forge.seed.setCollaborator('acme/api', 'ada', 'write');
  const remote = { url: `${forge.url}/acme/api.git`, token: async () => token };
  mirror = await openMirror({ dir: join(folder, 'mirror.git'), remote });
});

afterAll(async () => {
  await forge.stop();
  await rm(folder, { recursive: true, force: true });
});

test('on the forge a run is claimed, recorded with its code, and found by the sweep', async () => {
  const base = String(await mirror.resolve('main'));
  const branch = 'coxswain/fix-1';
  const claim = await claimBranch(mirror, { branch, base, message: 'Start', at });
  expect(claim.created).toBe(true);
  const next = await claimBranch(mirror, { branch: 'coxswain/fix-2', base: claim.sha, message: 'Work', at });
  const { remote } = mirror;
  const objects = [join(mirror.dir, 'objects')];
  const ledger = openLedger({
    ...sealedBy,
    dir: join(folder, 'run'),
    remote,
    number: 7,
    objects,
    onFault: () => undefined,
  });
  await ledger.record(eventOf('begin'), appendingId('begin'));
  const code = { branch, from: claim.sha, to: next.sha };
  const otherwise = () => ({ event: eventOf('refused'), decide: appendingId('refused') });
  await ledger
    .withAttachments({ code, otherwise })
    .record(eventOf('work'), appendingId('work', { code: true }));
  await mirror.fetch();
  expect(await mirror.resolve(branch)).toBe(next.sha);
  const [found] = await listLedgers(join(folder, 'all'), remote);
  const snapshot = await ledger.read();
  expect(found).toEqual({ namespace: 'open', number: 7, commit: snapshot?.commit, settled: false });
  expect(saidIn(snapshot?.state)).toEqual(['begin', 'work']);
  await ledger.close();
});

test('a branch that the forge protects is refused with its message', async () => {
  forge.seed.protect('acme/api', 'coxswain/*', { forbid_create: true });
  const base = String(await mirror.resolve('main'));
  const claiming = claimBranch(mirror, { branch: 'coxswain/other', base, message: 'Start', at });
  await expect(claiming).rejects.toThrow(PushRefused);
  await expect(claiming).rejects.toThrow(/could not push branch coxswain\/other: .*rule/is);
});
