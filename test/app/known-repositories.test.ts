import { mkdir, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KnownRepositories } from '../../src/app/known-repositories.ts';

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'coxswain-known-'));
});

afterEach(() => rm(data, { recursive: true }));

test('what was added is known to the next process, and what was forgotten is not', async () => {
  const known = await KnownRepositories.open(data);
  await known.add('acme/api', 1);
  await known.add('acme/web', 2);
  await known.forget('acme/web');
  const next = await KnownRepositories.open(data);
  expect(next.of(1)).toEqual(['acme/api']);
  expect(next.of(2)).toEqual([]);
  expect(next.isComplete).toBe(false);
  await next.setComplete();
  expect((await KnownRepositories.open(data)).isComplete).toBe(true);
});

test('what could not be written is written at the next try', async () => {
  const known = await KnownRepositories.open(data);
  const inTheWay = join(data, 'repositories.new');
  await mkdir(inTheWay);
  await expect(known.add('acme/api', 1)).rejects.toThrow();
  await expect(known.add('acme/api', 1)).rejects.toThrow();
  await rmdir(inTheWay);
  await known.add('acme/api', 1);
  expect(await readFile(join(data, 'repositories'), 'utf8')).toContain('acme/api');
});

test('a file that cannot be read is not taken for a new folder', async () => {
  await mkdir(join(data, 'repositories'));
  await expect(KnownRepositories.open(data)).rejects.toThrow(/could not read/);
});
