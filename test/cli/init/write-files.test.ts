import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeAll } from '../../../src/cli/init/init-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coxswain-write-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const wanted = [
  { path: 'a/one.yml', text: 'one\n' },
  { path: 'b/two.yml', text: 'two\n' },
];

test('all files are written, with the folders that they need', async () => {
  await writeAll(root, wanted, { replace: false });
  expect(wanted.map(({ path }) => readFileSync(join(root, path), 'utf8'))).toEqual(['one\n', 'two\n']);
});

test('if somebody has made one of them meanwhile, it stays, and none is written', async () => {
  mkdirSync(join(root, 'b'));
  writeFileSync(join(root, 'b/two.yml'), 'theirs\n');
  await expect(writeAll(root, wanted, { replace: false })).rejects.toThrow(/could not write .*two\.yml/);
  expect(existsSync(join(root, 'a/one.yml'))).toBe(false);
  expect(readdirSync(join(root, 'a'))).toEqual([]);
  expect(readFileSync(join(root, 'b/two.yml'), 'utf8')).toBe('theirs\n');
  expect(readdirSync(join(root, 'b'))).toEqual(['two.yml']);
});

test('if one of them cannot be replaced, the others are as they were', async () => {
  mkdirSync(join(root, 'a'));
  writeFileSync(join(root, 'a/one.yml'), 'before\n');
  mkdirSync(join(root, 'b/two.yml'), { recursive: true });
  await expect(writeAll(root, wanted, { replace: true })).rejects.toThrow(/could not replace .*two\.yml/);
  expect(readFileSync(join(root, 'a/one.yml'), 'utf8')).toBe('before\n');
  expect([readdirSync(join(root, 'a')), readdirSync(join(root, 'b'))]).toEqual([['one.yml'], ['two.yml']]);
});

test('what is replaced leaves nothing beside it', async () => {
  mkdirSync(join(root, 'a'));
  writeFileSync(join(root, 'a/one.yml'), 'before\n');
  await writeAll(root, wanted, { replace: true });
  expect(readFileSync(join(root, 'a/one.yml'), 'utf8')).toBe('one\n');
  expect([readdirSync(join(root, 'a')), readdirSync(join(root, 'b'))]).toEqual([['one.yml'], ['two.yml']]);
});
