import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { outcomesRef } from '../../src/ledger/format.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { listLedgers } from '../../src/ledger/list-ledgers.ts';
import { Outcomes } from '../../src/ledger/outcomes.ts';
import type { Outcome } from '../../src/steering/shapes/task.ts';
import { seals, unsealed } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

let folder: string;
let url: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-torn-'));
  url = `file://${folder}/origin.git`;
  await git(['init', '--quiet', '--bare', join(folder, 'origin.git')]);
  await git(['config', 'uploadpack.allowFilter', 'true'], { cwd: join(folder, 'origin.git') });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const ledgerIn = (name: string): RunLedger => {
  const place = { dir: join(folder, name), remote: { url }, number: 7 };
  return openLedger({ ...unsealed, ...place, deadlineMs: 5_000, onFault: () => undefined });
};

const outcomesIn = (name: string): Outcomes =>
  new Outcomes({
    ...{ dir: join(folder, name), remote: { url }, repositoryId: 1, seals, deadlineMs: 5_000 },
    onNotice: () => undefined,
  });

const outcomeOf = (number: number): Outcome => ({
  ...{ version: 1, repository_id: 1, number, seq: 9, event: 'closed:x', outcome: 'merged' },
  ...{ approved_by: 'people', agents: ['scripted'], iterations: 1, attempts: 1, score: 1, band: 'high' },
  ...{ formula: '1', cost: {}, worked_s: 60, head: 'abc', base: 'main' },
  ...{ started_at: '2026-11-21T10:00:00Z', ended_at: '2026-11-21T11:00:00Z' },
});

/** Each works in a folder of its own, and does so again when that has been damaged. */
const users: Record<string, { ref: string; begin: (dir: string) => Promise<() => Promise<unknown>> }> = {
  'a ledger is read': {
    ref: 'refs/coxswain/open/7',
    begin: async (dir) => {
      const ledger = ledgerIn(dir);
      await ledger.record(eventOf('a'), appendingId('a'));
      await ledger.read();
      await ledgerIn('elsewhere').record(eventOf('b'), appendingId('b'));
      return async () => expect(saidIn((await ledger.read())?.state)).toEqual(['a', 'b']);
    },
  },
  'a ledger that this process knows is written': {
    ref: 'refs/coxswain/open/7',
    begin: async (dir) => {
      const ledger = ledgerIn(dir);
      await ledger.record(eventOf('a'), appendingId('a'));
      await ledger.read();
      return async () => {
        await ledger.record(eventOf('b'), appendingId('b'));
        expect(saidIn((await ledger.read())?.state)).toEqual(['a', 'b']);
      };
    },
  },
  'outcomes are read': {
    ref: outcomesRef,
    begin: async (dir) => {
      const outcomes = outcomesIn(dir);
      await outcomes.append(outcomeOf(7));
      await outcomes.read();
      await outcomesIn('elsewhere').append(outcomeOf(8));
      return async () => expect((await outcomes.read()).lines).toHaveLength(2);
    },
  },
  'outcomes are written': {
    ref: outcomesRef,
    begin: async (dir) => {
      const outcomes = outcomesIn(dir);
      await outcomes.append(outcomeOf(7));
      await outcomes.read();
      return async () => {
        await outcomes.append(outcomeOf(8));
        expect((await outcomesIn('elsewhere').read()).lines).toHaveLength(2);
      };
    },
  },
  'ledgers are listed': {
    ref: 'refs/coxswain/open/7',
    begin: async (dir) => {
      await ledgerIn('elsewhere').record(eventOf('a'), appendingId('a'));
      const list = async () => {
        const found = await listLedgers(join(folder, dir), { url });
        return found.map(({ number }) => number);
      };
      await list();
      await ledgerIn('elsewhere').record(eventOf('b'), appendingId('b'));
      return async () => expect(await list()).toEqual([7]);
    },
  },
};

const sha = '1'.repeat(40);
const put = (path: string, text: string) => async (dir: string, ref: string) => {
  const file = join(dir, path.replace('REF', ref));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
const away = (path: string) => (dir: string) => rm(join(dir, path), { recursive: true });

async function emptyObjects(dir: string): Promise<void> {
  for (const name of await readdir(join(dir, 'objects'), { recursive: true })) {
    const path = join(dir, 'objects', name);
    if (!(await stat(path)).isFile()) continue;
    await chmod(path, 0o644);
    await writeFile(path, '');
  }
}

const damages: Record<string, (dir: string, ref: string) => Promise<unknown>> = {
  'an empty ref': put('REF', ''),
  'half a ref': put('REF', sha.slice(0, 17)),
  'a ref of zeros': put('REF', '\0'.repeat(41)),
  'a ref to nothing': put('REF', `${sha}\n`),
  'an empty configuration': put('config', ''),
  'half a configuration': put('config', '[core]\n\trepositoryformatver'),
  'a configuration of zeros': put('config', '\0'.repeat(60)),
  'a torn header in the configuration': put('config', '[core'),
  'an empty list of where history is cut': put('shallow', ''),
  'half a list of where history is cut': put('shallow', sha.slice(0, 10)),
  'a list of zeros of where history is cut': put('shallow', '\0'.repeat(41)),
  'an empty HEAD': put('HEAD', ''),
  'a HEAD of zeros': put('HEAD', '\0'.repeat(20)),
  'torn packed refs': put('packed-refs', '# pack-refs with: peeled\n1234'),
  'no objects': away('objects'),
  'empty objects': emptyObjects,
  'no refs': away('refs'),
  'no folder': away('.'),
};

describe.each(Object.keys(users))('%s', (name) => {
  test.each(Object.keys(damages))('with %s in its folder', async (damage) => {
    const user = users[name];
    const again = await user?.begin('one');
    await damages[damage]?.(join(folder, 'one'), user?.ref ?? '');
    await again?.();
  });
});
