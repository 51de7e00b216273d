import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesBetween } from '../../src/git/changed-paths.ts';
import { patchesBetween } from '../../src/git/patches.ts';
import { html } from '../../src/html/html.ts';
import { fileTree } from '../../src/page/diff/file-tree.ts';
import { patchTable } from '../../src/page/diff/patch-table.ts';
import { shownFile as readFile } from '../../src/page/diff/read-diff.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';
import { textOf } from './reading.ts';
import { shownFile } from './samples.ts';

const plain = { split: false, hasRemarks: false, boxes: new Map(), focus: undefined };

function drawn(patch: string, but: Partial<Parameters<typeof patchTable>[1]> = {}): string {
  return patchTable(shownFile('a.ts', patch), { ...plain, ...but }).text;
}

const row = (text: string) => textOf(text.replaceAll('</tr>', ' ;')).trim();

test('lines that took the place of others one by one show what differs', () => {
  const table = drawn('@@ -1,2 +1,2 @@\n-const a = 1;\n-x\n+const b = 1;\n+y');
  expect(table).toContain('const <del>a</del> = 1;');
  expect(table).toContain('const <ins>b</ins> = 1;');
  expect(table.match(/<ins>|<del>/g)).toHaveLength(2);
  expect(drawn('@@ -1 +1,2 @@\n-const a = 1;\n+const b = 1;\n+y')).not.toContain('<ins>');
});

test('what differs is never a part of a character', () => {
  const table = drawn('@@ -1 +1 @@\n-say 🙂 now\n+say 🙃 now');
  expect(table).toContain('say <del>🙂</del> now');
  expect(table).toContain('say <ins>🙃</ins> now');
});

test('side by side, what was removed stands beside what took its place', () => {
  const table = drawn('@@ -1,3 +1,3 @@ f()\n same\n-old\n+new\n+more\n\\ No newline at end of file', {
    split: true,
  });
  expect(row(table)).toBe(
    '@@ -1,3 +1,3 @@ f() ; 1 same 1 same ; 2 - old 2 + new ; 3 + more ; \\ No newline at end of file ;',
  );
});

test('a line that is still there is remarked on as it is now, on either side of the changes', () => {
  for (const split of [false, true]) {
    const table = drawn('@@ -7,2 +8,1 @@\n same\n-old', { hasRemarks: true, split });
    const names = [...table.matchAll(/value="(.*?)" aria-label="(.*?)"/g)].map(([, ...each]) => each);
    expect(names).toEqual([
      ['R8 a.ts', 'Remark on line 8 of a.ts'],
      ['L8 a.ts', 'Remark on removed line 8 of a.ts'],
    ]);
  }
});

test('a table without boxes is drawn once, and one with boxes each time', () => {
  const file = shownFile('a.ts', '@@ -1 +1 @@\n-a\n+b');
  expect(patchTable(file, plain)).toBe(patchTable(file, plain));
  const boxes = new Map([['R1 a.ts', html`<p>Here</p>`]]);
  expect(patchTable(file, { ...plain, boxes }).text).toContain('<td colspan="3"><p>Here</p></td>');
  expect(patchTable(file, plain).text).not.toContain('Here');
});

test('folders that hold only one are one, and very long names leave room for no others', () => {
  const files = ['a/b/c/x.ts', 'a/b/c/y.ts', 'z.ts'].map((path) => shownFile(path, ''));
  const tree = (all: typeof files) => textOf(fileTree(all, (_, text) => html`${text}`).text).trim();
  expect(tree(files)).toBe('a/b/c/ 2 files x.ts +0 −0 y.ts +0 −0 z.ts +0 −0');
  const long = Array.from({ length: 100 }, (_, nth) => shownFile(`${nth}${'n'.repeat(3_998)}`, ''));
  expect(tree(long)).toContain('There are 50 more files.');
});

let work: WorkCopy;
beforeAll(async () => {
  work = await workCopy();
});
afterAll(() => work.remove());

test('a file that becomes a link shows no header of its second patch', async () => {
  const base = await work.commit({ link: 'a\nb\n' });
  await rm(join(work.dir, 'link'));
  await symlink('a', join(work.dir, 'link'));
  const range = `${base}..${await work.commit()}`;
  const entries = await entriesBetween(work.gitDir, range);
  const [patch] = await patchesBetween(work.gitDir, range, { entries, keeps: () => true });
  const lines = patch && readFile(patch).lines.map(({ text }) => text);
  expect(lines).toEqual([
    '@@ -1,2 +0,0 @@',
    '-a',
    '-b',
    '@@ -0,0 +1 @@',
    '+a',
    '\\ No newline at end of file',
  ]);
});
