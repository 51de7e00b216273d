import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Mirror, openMirror } from '../../src/git/mirror.ts';
import { coxswain } from '../../src/git/objects.ts';
import { addWorktree, commitAll } from '../../src/git/worktree.ts';
import { keptEnd, maxPerOutput, maxPerRun } from '../../src/ledger/append-batch.ts';
import { type Attachments, type CodeRefusal, checkArtefact } from '../../src/ledger/attachments.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, nothing, saidIn } from './sample.ts';

const branch = 'coxswain/fix-1';

let seeded: string;
let work: WorkCopy;
let mirror: Mirror;
let from: string;
let to: string;
let server: GitServer;
let folder: string;
let ledger: RunLedger;
let refusals: CodeRefusal[];

/** Every test starts with a branch, a mirror with an attempt's commit, and a run's first event. */
beforeAll(async () => {
  seeded = await mkdtemp(join(tmpdir(), 'coxswain-seed-'));
  const first = await startGitServer();
  work = await workCopy();
  from = await work.commit({ 'a.txt': 'one\n' });
  await work.git('push', '--quiet', first.repository, `HEAD:refs/heads/${branch}`);
  mirror = await openMirror({ dir: join(seeded, 'mirror.git'), remote: first.remote });
  to = await attempt('two\n');
  const options = {
    ...sealedBy,
    dir: join(seeded, 'ledger'),
    remote: first.remote,
    number: 7,
    onFault: () => undefined,
  };
  await openLedger(options).record(eventOf('start'), appendingId('start'));
  await cp(first.repository, join(seeded, 'repo.git'), { recursive: true });
  await first.close();
});

afterAll(() => Promise.all([work.remove(), rm(seeded, { recursive: true, force: true })]));

beforeEach(async () => {
  server = await startGitServer({ copyOf: join(seeded, 'repo.git') });
  folder = await mkdtemp(join(tmpdir(), 'coxswain-cargo-'));
  refusals = [];
  ledger = openLedger({
    ...sealedBy,
    dir: join(folder, 'ledger'),
    remote: server.remote,
    number: 7,
    objects: [join(mirror.dir, 'objects')],
    random: () => 0.1,
    onFault: (error) => {
      throw error;
    },
  });
});

afterEach(async () => {
  await ledger.close();
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

const attempt = async (content: string): Promise<string> => {
  const dir = join(seeded, `attempt-${content.trim()}`);
  await addWorktree(mirror, { dir, commit: from });
  await writeFile(join(dir, 'a.txt'), content);
  return String(await commitAll(mirror, { dir, message: 'work', author: coxswain }));
};
const attachments = (more: Partial<Attachments> = {}): Attachments => ({
  code: { branch, from, to },
  artefacts: [{ path: 'iterations/0/1/implement/prompt.md', content: 'Do it\n' }],
  otherwise: (refusal) => {
    refusals.push(refusal);
    return { event: eventOf('refused'), decide: appendingId('refused') };
  },
  ...more,
});
const bring = (more: Partial<Attachments> = {}) =>
  ledger.withAttachments(attachments(more)).record(eventOf('work'), appendingId('work', { code: true }));
const head = () => server.git('rev-parse', `refs/heads/${branch}`);
const history = async () =>
  (await server.git('log', '--reverse', '--format=%s', 'refs/coxswain/open/7')).split('\n');

test('code, record and files land together', async () => {
  expect(await bring()).toMatchObject({ fresh: true });
  expect(await head()).toBe(to);
  expect(await history()).toEqual(['Note start', 'Note work']);
  expect(await ledger.readArtefact('iterations/0/1/implement/prompt.md')).toBe('Do it\n');
  expect(await ledger.readArtefact('iterations/0/1/implement/missing.md')).toBeUndefined();
  expect(server.requests.filter((line) => /POST .*receive-pack/.test(line))).toHaveLength(1);
});

test('a commit that is only kept lands under its ref, and the branch stays as it is', async () => {
  const ref = `refs/coxswain/kept/7/${to}`;
  const { code: _, ...rest } = attachments({ kept: { ref, to } });
  await ledger.withAttachments(rest).record(eventOf('held'), appendingId('held', { code: true }));
  expect(await server.git('rev-parse', ref)).toBe(to);
  expect(await head()).toBe(from);
});

test('code that the decision does not accept never reaches the branch', async () => {
  await ledger.withAttachments(attachments()).record(eventOf('work'), appendingId('work', { code: false }));
  expect(await head()).toBe(from);
  expect(await history()).toEqual(['Note start', 'Note work']);
});

test('an event that changes nothing pushes neither code nor files', async () => {
  await ledger.withAttachments(attachments()).record(eventOf('work'), nothing);
  expect(await head()).toBe(from);
  expect(await history()).toEqual(['Note start']);
});

test('if the branch moved, that is recorded instead and the branch stays as it is', async () => {
  const theirs = await work.commit({ 'a.txt': 'theirs\n' });
  await work.git('push', '--quiet', server.repository, `HEAD:refs/heads/${branch}`);
  expect(saidIn((await bring()).state)).toEqual(['start', 'refused']);
  expect(refusals).toMatchObject([{ kind: 'moved' }]);
  expect(await head()).toBe(theirs);
  expect(await ledger.readArtefact('iterations/0/1/implement/prompt.md')).toBe('Do it\n');
});

test('a branch that a human deleted is not recreated', async () => {
  await server.git('update-ref', '-d', `refs/heads/${branch}`);
  await bring();
  expect(refusals).toMatchObject([{ kind: 'moved' }]);
  expect(await server.git('for-each-ref', 'refs/heads')).toBe('');
});

test('if another process recorded first, the code lands on the second try', async () => {
  const other = openLedger({
    ...sealedBy,
    dir: join(folder, 'other'),
    remote: server.remote,
    number: 7,
    onFault: () => undefined,
  });
  await other.record(eventOf('between'), appendingId('between'));
  await bring();
  expect(await head()).toBe(to);
  expect(refusals).toEqual([]);
  expect(await history()).toEqual(['Note start', 'Note between', 'Note work']);
});

test.each([
  ['update', 'case $1 in refs/heads/*) echo "GH006: Protected branch" >&2; exit 1;; esac'],
  ['pre-receive', 'if grep -q refs/heads/; then echo "GH006: Protected branch" >&2; exit 1; fi'],
] as const)(
  'code that the %s rule declines is still recorded, with the message of the rule',
  async (hook, script) => {
    await server.hook(hook, script);
    expect(await bring()).toMatchObject({ fresh: true });
    expect(refusals).toEqual([
      { kind: 'declined', message: expect.stringContaining('GH006: Protected branch') },
    ]);
    expect(await head()).toBe(from);
    expect(await history()).toEqual(['Note start', 'Note refused']);
    expect(await ledger.readArtefact('iterations/0/1/implement/prompt.md')).toBe('Do it\n');
  },
);

/** Code for the branch, which is kept beside it if it is refused. */
const keeping = () => {
  const ref = `refs/coxswain/kept/7/${to}`;
  const recording = (said: string) => ({ event: eventOf(said), decide: appendingId(said, { code: true }) });
  const otherwise = () => recording('lost');
  return { ref, otherwise: () => ({ ...recording('kept'), attachments: { kept: { ref, to }, otherwise } }) };
};
const declining = (refs: string) => `case $1 in ${refs}) echo "GH006: Protected" >&2; exit 1;; esac`;

test('code that is refused is kept beside the branch, together with what is recorded instead', async () => {
  await server.hook('update', declining('refs/heads/*'));
  const { ref, otherwise } = keeping();
  await bring({ otherwise });
  expect(await history()).toEqual(['Note start', 'Note kept']);
  expect(await server.git('rev-parse', ref)).toBe(to);
  expect(await head()).toBe(from);
});

test('if that is refused as well, it is recorded that nothing keeps it', async () => {
  await server.hook('update', declining('refs/heads/*|refs/coxswain/kept/*'));
  const { ref, otherwise } = keeping();
  await bring({ otherwise });
  expect(await history()).toEqual(['Note start', 'Note lost']);
  await expect(server.git('rev-parse', '--verify', ref)).rejects.toThrow();
  expect(await ledger.readArtefact('iterations/0/1/implement/prompt.md')).toBe('Do it\n');
});

test('a connection that is cut after it was kept changes nothing', async () => {
  const { ref, otherwise } = keeping();
  await server.hook('update', declining('refs/heads/*'));
  const push = /POST .*receive-pack/;
  server.failNext(push, { first: async () => server.failNext(push, 'cut_after') });
  await bring({ otherwise });
  expect(await history()).toEqual(['Note start', 'Note kept']);
  expect(await server.git('rev-parse', ref)).toBe(to);
});

test('files that a rule declines are left out with a note', async () => {
  const script =
    'git ls-tree -r --name-only $3 | grep -q prompt.md && { echo "GH013: secret" >&2; exit 1; }; exit 0';
  await server.hook('update', script);
  await bring();
  expect(await head()).toBe(to);
  expect(refusals).toEqual([]);
  expect(await ledger.readArtefact('iterations/0/1/implement/prompt.md')).toBeUndefined();
  const message = await server.git('log', '-1', '--format=%B', 'refs/coxswain/open/7');
  expect(message).toMatch(/The artefacts were refused and left out: .*GH013: secret/);
});

test('a cut connection after code and record landed changes nothing', async () => {
  server.failNext(/POST .*receive-pack/, 'cut_after');
  expect(await bring()).toMatchObject({ fresh: true });
  expect(refusals).toEqual([]);
  expect(await head()).toBe(to);
  expect(await history()).toEqual(['Note start', 'Note work']);
});

test('code that is not a fast-forward is never pushed', async () => {
  await expect(bring({ code: { branch, from: to, to: from } })).rejects.toThrow(/not a descendant/);
  expect(await head()).toBe(from);
  expect(await history()).toEqual(['Note start']);
});

test('of two simultaneous attempts the second learns that the branch moved', async () => {
  const three = await attempt('three\n');
  const results = await Promise.all([
    bring(),
    ledger
      .withAttachments(attachments({ code: { branch, from, to: three } }))
      .record(eventOf('other'), appendingId('other', { code: true })),
  ]);
  expect(results.map(({ fresh }) => fresh)).toEqual([true, true]);
  expect(await head()).toBe(to);
  expect(await history()).toEqual(['Note start', 'Note work', 'Note refused']);
});

test.each([
  '../state.json',
  'state.json',
  'iterations',
  'iterations/../state.json',
  'iterations/a.log',
  'iterations//x',
  'iterations/.git/x',
  'iterations/a\nb',
])('a file cannot be kept as %j', (path) => {
  expect(() => checkArtefact({ path, content: '{}' })).toThrow(/not a valid path in a ledger/);
});

test('an invalid file fails only its own event', async () => {
  const results = await Promise.allSettled([
    bring({ artefacts: [{ path: 'state.json', content: '{}' }] }),
    ledger.record(eventOf('next'), appendingId('next')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await history()).toEqual(['Note start', 'Note next']);
});

test('of too much verifier output the end is kept, as JSON', async () => {
  const path = 'iterations/0/1/implement/verifiers/test.json';
  const output = { verifier: 'a:test', stdout: `${'é'.repeat(1_500_000)}end`, stderr: 'oops' };
  const { code: _, ...light } = attachments({ artefacts: [{ path, content: JSON.stringify(output) }] });
  await ledger.withAttachments(light).record(eventOf('work'), appendingId('work'));
  const kept = JSON.parse(String(await ledger.readArtefact(path)));
  expect(kept).toMatchObject({ verifier: 'a:test', stderr: 'oops', truncated: true });
  expect(kept.stdout).toMatch(/^\[truncated\]\né+end$/);
  expect(Buffer.byteLength(kept.stdout)).toBeLessThanOrEqual(maxPerOutput);
});

test('a file name may contain spaces, quotes and other scripts', async () => {
  const path = 'iterations/0/1/implement/verifiers/"lint" é.json';
  await bring({ artefacts: [{ path, content: '{}' }] });
  expect(await ledger.readArtefact(path)).toBe('{}');
});

test('the oldest files are replaced when a run grows too large', async () => {
  const piece = 'x'.repeat(1_000_000);
  const fileIn = (round: number): string => `iterations/${round}/1/implement/reasoning.md`;
  const { code: _, ...light } = attachments();
  const rounds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  await Promise.all(
    rounds.map((round) => {
      const artefacts = [{ path: fileIn(round), content: piece }];
      return ledger
        .withAttachments({ ...light, artefacts })
        .record(eventOf(`${round}`), appendingId(`${round}`));
    }),
  );
  const kept = await Promise.all(rounds.map((round) => ledger.readArtefact(fileIn(round))));
  expect(kept[0]).toBe(`1000000 bytes were left out to keep this run's ledger within ${maxPerRun} bytes\n`);
  expect(kept.map((content) => content === piece)).toEqual(rounds.map((round) => round > 1));
});

test('the end of a text is kept, and never cut within a character', () => {
  expect(keptEnd('short', 100)).toBe('short');
  expect(keptEnd('é'.repeat(20), 19)).toBe(`[truncated]\n${'é'.repeat(3)}`);
});

test('code to which the state of another process objects is kept instead', async () => {
  const { ref, otherwise } = keeping();
  const other = openLedger({
    ...sealedBy,
    dir: join(folder, 'other'),
    remote: server.remote,
    number: 7,
    onFault: () => undefined,
  });
  await ledger.read();
  await other.record(eventOf('push'), appendingId('push'));
  await other.close();
  const objection = ({ seq }: State) =>
    seq > 1 ? ({ kind: 'moved', message: 'somebody has pushed' } as const) : undefined;
  await bring({ otherwise, objection });
  expect(await history()).toEqual(['Note start', 'Note push', 'Note kept']);
  expect(await server.git('rev-parse', ref)).toBe(to);
  expect(await head()).toBe(from);
});

test('and where it cannot be kept either, that is recorded', async () => {
  const { ref, otherwise } = keeping();
  await server.git('update-ref', ref, from);
  await bring({ otherwise, objection: () => ({ kind: 'moved', message: 'somebody has pushed' }) });
  expect(await history()).toEqual(['Note start', 'Note lost']);
});

test('no objection is made to what has landed although its answer was lost', async () => {
  const other = openLedger({
    ...sealedBy,
    dir: join(folder, 'other'),
    remote: server.remote,
    number: 7,
    onFault: () => undefined,
  });
  const objection = ({ seq }: State) => (seq > 1 ? ({ kind: 'moved', message: 'late' } as const) : undefined);
  server.failNext(/POST .*receive-pack/, {
    first: async () => {
      await other.record(eventOf('work'), appendingId('work'));
      await other.record(eventOf('push'), appendingId('push'));
      await other.close();
    },
  });
  await bring({ objection });
  expect(await history()).toEqual(['Note start', 'Note work', 'Note push']);
  expect(refusals).toEqual([]);
});
