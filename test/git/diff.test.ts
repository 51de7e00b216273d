import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { entriesBetween } from '../../src/git/changed-paths.ts';
import { git } from '../../src/git/git.ts';
import { type DiffOptions, diffBetween, summaryOf } from '../../src/git/patches.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

/** What each test begins with a copy of, and its commit. */
let seeded: WorkCopy;
let first: string;
let work: WorkCopy;
let base: string;

beforeAll(async () => {
  seeded = await workCopy();
  first = await seeded.commit({
    'src/main.go': 'one\ntwo\nthree\n',
    'gone.txt': 'a\nb\n',
    'old.txt': 'kept\nas\nit\nis\n',
  });
});

afterAll(() => seeded.remove());
beforeEach(async () => {
  work = await workCopy({ copyOf: seeded });
  base = first;
});
afterEach(() => work.remove());

const changes = async (head: string) => {
  const files = (await entriesBetween(work.gitDir, `${base}...${head}`)).map(({ change }) => change);
  return { files, summary: summaryOf(files) };
};
const diff = async (head: string, options: Partial<DiffOptions> = {}) =>
  diffBetween(work.gitDir, { base, head }, { repository: 'acme/service', ...options });
const numbered = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
const bodyOf = (text: string): number =>
  text.split('\n').filter((line) => /^[+ -](?![+-]{2} )/.test(line)).length;

test('a changed file is modified', async () => {
  const { files } = await changes(await work.commit({ 'src/main.go': 'one\nTWO\nthree\n' }));
  expect(files).toEqual([{ path: 'src/main.go', status: 'modified', additions: 1, deletions: 1 }]);
});

test('all lines of a new file are counted', async () => {
  const { files } = await changes(await work.commit({ new: 'one\ntwo\n' }));
  expect(files).toEqual([{ path: 'new', status: 'added', additions: 2, deletions: 0 }]);
});

test('a removed file is deleted', async () => {
  const { files } = await changes(await work.commit({ 'gone.txt': null }));
  expect(files).toEqual([{ path: 'gone.txt', status: 'deleted', additions: 0, deletions: 2 }]);
});

test('a moved file is renamed and keeps its former name', async () => {
  await work.git('mv', 'old.txt', 'fresh.txt');
  const { files } = await changes(await work.commit());
  expect(files).toEqual([
    { path: 'fresh.txt', previous_path: 'old.txt', status: 'renamed', additions: 0, deletions: 0 },
  ]);
});

test('two renames and an edit between them keep their own counts', async () => {
  await work.git('mv', 'old.txt', 'a-fresh.txt');
  await work.git('mv', 'gone.txt', 'z-fresh.txt');
  const output = await diff(await work.commit({ 'src/main.go': 'one\n' }));
  expect(output.files.map(({ path, previous_path, deletions }) => [path, previous_path, deletions])).toEqual([
    ['a-fresh.txt', 'old.txt', 0],
    ['src/main.go', undefined, 2],
    ['z-fresh.txt', 'gone.txt', 0],
  ]);
  expect(output.files[1]?.diff).toContain('-two');
});

test.each([
  'with space',
  'é/ünïcode',
  'a "quoted" name',
  'a\ttab',
  'a\nline break',
  ' leading',
  '-dash',
  ':(top)x',
])('the file name %j is unchanged', async (name) => {
  const output = await diff(await work.commit({ [name]: 'x\n' }));
  expect(output.files).toMatchObject([{ path: name, status: 'added', additions: 1 }]);
  expect(output.files[0]?.diff).toContain('+x');
});

test('added lines count when they are empty', async () => {
  const { files } = await changes(await work.commit({ 'src/main.go': 'one\ntwo\nthree\ny\n\nz\n' }));
  expect(files[0]).toMatchObject({ additions: 3, deletions: 0 });
});

test('lines that begin with plus or minus are counted correctly', async () => {
  base = await work.commit({ odd: '--y\n-b\n' });
  const output = await diff(await work.commit({ odd: '++x\n+a\n' }));
  expect(output.files[0]).toMatchObject({ additions: 2, deletions: 2 });
  expect(output.total_lines).toBe(4);
  expect(output.files[0]?.diff).toMatch(/\n---y\n--b\n\+\+\+x\n\+\+a$/);
});

test('a line that looks like a patch header does not start a new file', async () => {
  const content = 'diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n';
  const output = await diff(await work.commit({ sample: content, 'src/main.go': 'one\n' }));
  expect(output.files.map(({ path }) => path)).toEqual(['sample', 'src/main.go']);
  expect(output.files[0]?.diff).toContain('+diff --git a/x b/x');
  expect(output.files[1]?.diff).toContain('-three');
});

test('a binary file counts no lines', async () => {
  const output = await diff(await work.commit({ 'image.png': Uint8Array.of(0, 1, 2, 0, 255) }));
  expect(output.files).toMatchObject([
    { path: 'image.png', status: 'added', additions: 0, deletions: 0, binary: true },
  ]);
  expect(output.files[0]?.diff).toContain('Binary files');
});

test('a patch of exactly the budget is complete', async () => {
  const output = await diff(await work.commit({ big: numbered(1_000) }));
  expect(output).toMatchObject({ truncated: false, total_lines: 1_000 });
  expect(output.files[0]?.diff).not.toContain('... (truncated)');
});

test('a patch with one more line is cut, and the counts stay complete', async () => {
  const output = await diff(await work.commit({ big: numbered(1_001) }));
  expect(output).toMatchObject({ truncated: true, total_lines: 1_001, summary: '1 file changed, +1001, -0' });
  expect(output.files[0]).toMatchObject({ additions: 1_001, deletions: 0 });
  expect(output.files[0]?.diff.endsWith('\n... (truncated)')).toBe(true);
  expect(bodyOf(output.files[0]?.diff ?? '')).toBe(1_000);
});

test('the larger of two patches is cut', async () => {
  const output = await diff(await work.commit({ large: numbered(800), small: numbered(300) }));
  expect(output.files.map(({ additions, diff: body }) => [additions, bodyOf(body)])).toEqual([
    [800, 700],
    [300, 300],
  ]);
  expect(output).toMatchObject({ truncated: true, total_lines: 1_100 });
});

test('all files are listed even if they exceed the budget', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `file-${index}`);
  const head = await work.commit(Object.fromEntries(names.map((name) => [name, numbered(2, name)])));
  const output = await diff(head, { budget: 5 });
  expect(output.files).toHaveLength(12);
  expect(output.files.map(({ diff: body }) => bodyOf(body)).reduce((sum, lines) => sum + lines)).toBe(5);
  expect(output.files.every(({ diff: body }) => body.startsWith('diff --git'))).toBe(true);
});

test('the summary names files, added and removed lines', async () => {
  base = await work.commit({ a: numbered(12), b: '', c: '' });
  const head = await work.commit({ a: '', b: numbered(40), c: numbered(5) });
  expect((await changes(head)).summary).toBe('3 files changed, +45, -12');
});

test('no changes are reported as such', async () => {
  const output = await diff(await work.commit());
  expect(output).toEqual({
    repository: 'acme/service',
    files: [],
    summary: 'No changes',
    total_lines: 0,
    truncated: false,
  });
});

test('a new symbolic link target is a modification that shows both', async () => {
  await symlink('old.txt', join(work.dir, 'link'));
  base = await work.commit();
  await rm(join(work.dir, 'link'));
  await symlink('src/main.go', join(work.dir, 'link'));
  const output = await diff(await work.commit());
  expect(output.files).toMatchObject([{ path: 'link', status: 'modified', additions: 1, deletions: 1 }]);
  expect(output.files[0]?.diff).toContain('-old.txt');
});

test('a file that becomes a symbolic link is one modified file with both patches', async () => {
  await rm(join(work.dir, 'gone.txt'));
  await symlink('old.txt', join(work.dir, 'gone.txt'));
  const output = await diff(await work.commit({ 'src/main.go': 'one\n' }));
  expect(output.files).toMatchObject([
    { path: 'gone.txt', status: 'modified' },
    { path: 'src/main.go', status: 'modified', deletions: 2 },
  ]);
  expect(output.files[0]?.diff).toContain('new file mode 120000');
});

test('a submodule bump is a modification that shows both commits', async () => {
  const pin = async (sha: string): Promise<string> => {
    await work.git('update-index', '--add', '--cacheinfo', `160000,${sha},lib`);
    await work.git('commit', '--quiet', '-m', 'pin');
    return work.git('rev-parse', 'HEAD');
  };
  base = await pin('1'.repeat(40));
  const output = await diff(await pin('2'.repeat(40)));
  expect(output.files).toMatchObject([{ path: 'lib', status: 'modified', additions: 1, deletions: 1 }]);
  expect(output.files[0]?.diff).toContain(`+Subproject commit ${'2'.repeat(40)}`);
});

test('a change of mode only is a modification that shows both modes', async () => {
  await chmod(join(work.dir, 'src/main.go'), 0o755);
  const output = await diff(await work.commit());
  expect(output.files).toMatchObject([
    { path: 'src/main.go', status: 'modified', additions: 0, deletions: 0 },
  ]);
  expect(output.files[0]?.diff).toContain('new mode 100755');
});

test('later changes to the base are not counted', async () => {
  await work.git('checkout', '--quiet', '-b', 'feature');
  const head = await work.commit({ feature: 'x\n' });
  await work.git('checkout', '--quiet', 'main');
  base = await work.commit({ theirs: 'y\n' });
  expect((await changes(head)).files.map(({ path }) => path)).toEqual(['feature']);
});

test.each([
  ['src/main.go', ['src/main.go']],
  ['./src/main.go', ['src/main.go']],
  ['src', ['src/main.go', 'src/sub/deep.go']],
  ['src/', ['src/main.go', 'src/sub/deep.go']],
  ['src/*.go', ['src/main.go']],
  ['src/**', ['src/main.go', 'src/sub/deep.go']],
  ['*.go', ['src/main.go', 'src/sub/deep.go']],
  ['old.txt', ['fresh.txt']],
  ['[id].go', ['[id].go']],
  ['nothing', []],
  ['../outside', []],
])('the filter %s lists %j', async (file, expected) => {
  await work.git('mv', 'old.txt', 'fresh.txt');
  const head = await work.commit({ 'src/main.go': 'one\n', 'src/sub/deep.go': 'x\n' });
  const withOdd = file.startsWith('[') ? await work.commit({ '[id].go': 'x\n' }) : head;
  const output = await diff(withOdd, { file });
  expect(output.files.map(({ path }) => path)).toEqual(expected);
});

test('a filter recomputes the summary and the budget', async () => {
  const head = await work.commit({ big: numbered(1_500), small: numbered(2) });
  expect(await diff(head, { file: 'small' })).toMatchObject({
    summary: '1 file changed, +2, -0',
    total_lines: 2,
    truncated: false,
  });
});

test('a very long line is cut', async () => {
  const head = await work.commit({ 'bundle.js': `${'x'.repeat(40_000_000)}\nshort\n` });
  const [file] = (await diff(head)).files;
  expect(file?.diff.length).toBeLessThan(11_000);
  expect(file?.diff).toMatch(/\+x+\.\.\. \(\d+ more bytes\)\n\+short$/);
});

test('the list of 40,000 changed files takes no longer than each of them', async () => {
  const inDir = { env: { GIT_DIR: work.gitDir } };
  const blob = (await git(['hash-object', '-w', '--stdin'], { ...inDir, input: 'new\n' })).trim();
  const entries = Array.from({ length: 40_000 }, (_, nth) => `100644 blob ${blob}\tfile${nth}\n`);
  const tree = (await git(['mktree'], { ...inDir, input: entries.join('') })).trim();
  const head = await work.git('commit-tree', tree, '-p', base, '-m', 'many');
  const before = process.cpuUsage();
  expect(await entriesBetween(work.gitDir, `${base}...${head}`)).toHaveLength(40_003);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(3);
});
