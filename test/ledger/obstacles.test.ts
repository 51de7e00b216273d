import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

/** Refs that somebody with write access pushed where a run's are, or are going to be. */
let server: GitServer;
let folder: string;
let notices: string[];
const opened: RunLedger[] = [];

beforeEach(async () => {
  server = await startGitServer();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-obstacles-'));
  notices = [];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((ledger) => ledger.close()));
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

function open(name: string): RunLedger {
  const ledger = openLedger({
    ...sealedBy,
    ...{ dir: join(folder, name), remote: server.remote, number: 7, deadlineMs: 5000 },
    onNotice: (text) => notices.push(text),
    onFault: () => undefined,
  });
  opened.push(ledger);
  return ledger;
}

/** A commit of nobody's, under this ref. */
async function push(ref: string): Promise<void> {
  const tree = await server.git('mktree', '--missing');
  const commit = await server.git(
    '-c',
    'user.name=x',
    '-c',
    'user.email=x',
    'commit-tree',
    tree.trim(),
    '-m',
    'x',
  );
  await server.git('update-ref', ref, commit.trim());
}

const ends =
  (id: string): Decide =>
  (state) => {
    const verdict = appendingId(id)(state);
    if (verdict.outcome === 'nothing') return verdict;
    return {
      ...verdict,
      state: { ...verdict.state, standing: { phase: 'rejected', by: 'mia', reason: '' } },
    };
  };

test.each(['refs/coxswain/closed/7/x', 'refs/coxswain/closed', 'refs/coxswain/closed/7/x/y'])(
  'a run ends although %s exists',
  async (ref) => {
    const ledger = open('one');
    await ledger.record(eventOf('a'), appendingId('a'));
    await push(ref);
    await ledger.record(eventOf('b'), ends('b'));
    const found = await open('two').read();
    expect(found).toMatchObject({
      ref: 'refs/coxswain/closed/7',
      state: { standing: { phase: 'rejected' } },
    });
    expect(notices).toEqual([`removed ${ref}, in the way of the ledger of #7`]);
  },
);

test.each(['refs/coxswain/open', 'refs/coxswain/open/7/x'])(
  'a run begins although %s exists',
  async (ref) => {
    await push(ref);
    await open('one').record(eventOf('a'), appendingId('a'));
    expect(saidIn((await open('two').read())?.state)).toEqual(['a']);
  },
);

test('a run begins although there are more refs in its way than one command can name', async () => {
  await push('refs/coxswain/open/7/first');
  const commit = (await server.git('rev-parse', 'refs/coxswain/open/7/first')).trim();
  const deep = Array.from({ length: 4 }, () => 'x'.repeat(240)).join('/');
  const others = Array.from({ length: 1200 }, (_, n) => `refs/coxswain/open/7/${deep}/${n}`);
  const input = others.map((ref) => `create ${ref} ${commit}\n`).join('');
  await git(['update-ref', '--stdin'], { env: { GIT_DIR: server.repository }, input });
  await open('one').record(eventOf('a'), appendingId('a'));
  expect(saidIn((await open('two').read())?.state)).toEqual(['a']);
  expect(notices).toEqual([
    expect.stringMatching(/^removed .* and 1196 more, in the way of the ledger of #7$/),
  ]);
});

test.each(['refs/coxswain/broken', 'refs/coxswain/open/7/x'])(
  'a run is restored although %s exists',
  async (ref) => {
    if (ref.includes('broken')) await push('refs/coxswain/open/7');
    await push(ref);
    const restored = { ...eventOf('restored:b'), type: 'restored' } as unknown as Event;
    await open('one').recreating().record(restored, appendingId('b'));
    expect(saidIn((await open('two').read())?.state)).toEqual(['b']);
  },
);

test('a run is restored although what is set aside has no free name', async () => {
  await push('refs/coxswain/open/7');
  const sha = (await server.git('rev-parse', 'refs/coxswain/open/7')).trim();
  // Another object: what is kept already is not kept again.
  const tree = (await server.git('rev-parse', `${sha}^{tree}`)).trim();
  await server.git('update-ref', `refs/coxswain/broken/7-${sha.slice(0, 7)}/x`, tree);
  const restored = { ...eventOf('restored:b'), type: 'restored' } as unknown as Event;
  await open('one').recreating().record(restored, appendingId('b'));
  expect(saidIn((await open('two').read())?.state)).toEqual(['b']);
  expect(await server.git('for-each-ref', '--format=%(refname)')).toMatch(/broken\/7-\w{7}$/m);
});

test('what does not obstruct stays where it is', async () => {
  await push('refs/heads/refs/coxswain/open');
  await push('refs/coxswain/open/70');
  await push('refs/coxswain/closed/7/x');
  const ledger = open('one');
  await ledger.record(eventOf('a'), appendingId('a'));
  await ledger.record(eventOf('b'), ends('b'));
  const left = (await server.git('for-each-ref', '--format=%(refname)')).trim().split('\n');
  expect(left).toContain('refs/heads/refs/coxswain/open');
  expect(left).toContain('refs/coxswain/open/70');
  expect(left).not.toContain('refs/coxswain/closed/7/x');
});

test('a ledger that was pushed before its run began is set aside', async () => {
  await push('refs/coxswain/open/7');
  const ledger = open('one');
  ledger.begin();
  await ledger.record(eventOf('a'), appendingId('a'));
  await ledger.record(eventOf('b'), appendingId('b'));
  expect(saidIn((await open('two').read())?.state)).toEqual(['a', 'b']);
  expect(await server.git('for-each-ref', '--format=%(refname)')).toContain('refs/coxswain/broken/7-');
});

test('one that is found later is not', async () => {
  await push('refs/coxswain/open/7');
  await expect(open('one').record(eventOf('a'), appendingId('a'))).rejects.toThrow('ledger of #7');
});
