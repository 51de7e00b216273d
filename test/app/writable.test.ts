import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writability } from '../../src/app/app.ts';

test('a folder that can be written to has no problem, and nothing is left in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-writable-'));
  expect(writability(folder)()).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  expect(writability(folder)()).toBeUndefined(); // it may be deleted at any time
  await rm(folder, { recursive: true });
});

test('a folder that cannot be written to says why', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-writable-'));
  await writeFile(join(folder, 'file'), '');
  expect(writability(join(folder, 'file', 'data'))()).toBe('it may not write to its folder');
  expect(writability('/dev/full')()).toBeDefined();
  await rm(folder, { recursive: true });
});
