import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { commitsBetween } from '../../src/git/git-log.ts';
import { type Mirror, openMirror } from '../../src/git/mirror.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

let work: WorkCopy;
let folder: string;
let mirror: Mirror;
let first: string;

beforeEach(async () => {
  work = await workCopy();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-log-'));
  first = await work.commit({ a: '1\n' });
  await work.git('branch', '-m', 'main');
  mirror = await openMirror({ dir: join(folder, 'mirror.git'), remote: { url: `file://${work.dir}` } });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all([work.remove(), rm(folder, { recursive: true, force: true })]);
});

async function say(message: string): Promise<string> {
  await work.git('commit', '--quiet', '--allow-empty', '-m', message);
  return (await work.git('rev-parse', 'HEAD')).trim();
}

async function subjects(max?: number): Promise<readonly string[]> {
  await mirror.fetch();
  const range = { from: first, to: 'refs/heads/main', ...(max !== undefined && { max }) };
  return (await commitsBetween(mirror.dir, range)).map(({ subject }) => subject);
}

test('lists later commits, newest first, with hash and subject', async () => {
  const second = await say('Second\n\nwith a body');
  const third = await say('Third');
  await mirror.fetch();
  expect(await commitsBetween(mirror.dir, { from: first, to: third })).toEqual([
    { sha: third, subject: 'Third' },
    { sha: second, subject: 'Second' },
  ]);
});

test('without new commits the list is empty', async () => {
  expect(await subjects()).toEqual([]);
});

test('a merge counts as one commit', async () => {
  await work.git('checkout', '--quiet', '-b', 'side');
  await say('On the side');
  await work.git('checkout', '--quiet', 'main');
  await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge the side', 'side');
  expect(await subjects()).toEqual(['Merge the side']);
});

test('limits the number of commits and the length of subjects', async () => {
  await say('x'.repeat(1_000));
  await say('Short');
  expect(await subjects(1)).toEqual(['Short']);
  expect((await subjects()).at(-1)).toBe(`${'x'.repeat(199)}…`);
});

test('a subject cannot look like another commit', async () => {
  await say(`${'1'.repeat(40)} forged òò \u0001`);
  expect(await subjects()).toEqual([`${'1'.repeat(40)} forged òò \u0001`]);
});

test('a missing commit is an error', async () => {
  await expect(commitsBetween(mirror.dir, { from: 'nope', to: 'main' })).rejects.toThrow('nope..main');
});

test("neither the environment nor the mirror's configuration has an effect", async () => {
  vi.stubEnv('GIT_DIR', '/nowhere');
  vi.stubEnv('GIT_EXTERNAL_DIFF', `touch ${folder}/trap`);
  await say('Second');
  await mirror.fetch();
  const trap = `touch ${folder}/trap; false`;
  const settings = `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "${trap}"\n[core]\n\tfsmonitor = "${trap}"\n\tpager = "${trap}"\n`;
  await appendFile(join(mirror.dir, 'config'), settings);
  expect(await commitsBetween(mirror.dir, { from: first, to: 'main' })).toHaveLength(1);
  expect(existsSync(join(folder, 'trap'))).toBe(false);
});

test('a long subject is cut between characters', async () => {
  await say(`${'x'.repeat(199)}😀😀`);
  expect(await subjects()).toEqual([`${'x'.repeat(199)}…`]);
});
