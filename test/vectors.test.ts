import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/vectors.mjs', import.meta.url));

function results(kind: string, ...cases: readonly object[]): readonly unknown[] {
  const input = cases.map((each) => JSON.stringify(each)).join('\n');
  const { stdout, stderr } = spawnSync(process.execPath, [script, kind], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a score is told with its band', () => {
  const input = { checks: { passed: 1, total: 1 }, reviewerConfidence: 0.9, retries: 0, maxRetries: 3 };
  const all = { ...input, destructive: false, toolCalls: { succeeded: 0, total: 0 } };
  expect(results('score', { id: 'S-2', input: all })).toEqual([
    { id: 'S-2', score: 0.97, band: 'high', unverified: false },
  ]);
});

test('a decision follows from a score', () => {
  const decided = { mode: 'auto', gated: false, unverified: false, threshold: null };
  const cases = [
    { id: 'a', ...decided, score: 0.9 },
    { id: 'b', ...decided, score: 0.3 },
  ];
  expect(results('decision', ...cases)).toEqual([
    { id: 'a', decision: 'proceed' },
    { id: 'b', decision: 'wait' },
  ]);
});

test('a command is told with what it hits', () => {
  expect(results('commands', { id: 'a', command: 'rm -rf build' }, { name: 'b', command: 'ls' })).toEqual([
    { id: 'a', hits: [{ rule: 'deletes-files', severity: 'high', evidence: 'rm -rf build' }] },
    { name: 'b', hits: [] },
  ]);
});

test('a path is told with what it hits', () => {
  expect(results('paths', { id: 'a', path: '.env', status: 'modified' })).toMatchObject([
    { id: 'a', hits: [{ rule: 'touches-secrets', path: '.env' }] },
  ]);
});

test('a weakened test is found in two versions of a file', () => {
  const body = "test('a sum', () => {\n  expect(sum([1, 2])).toBe(3);\n});\n";
  const file = { path: 'test/sum.test.ts', base: body };
  const skipped = { ...file, head: body.replace('test(', 'test.skip(') };
  expect(
    results('weakened', { id: 'a', files: [skipped] }, { id: 'b', files: [{ ...file, head: body }] }),
  ).toMatchObject([
    { id: 'a', hits: [{ rule: 'weakens-tests', path: file.path }] },
    { id: 'b', hits: [] },
  ]);
});

test('a kind that is none is refused', () => {
  const { status, stderr } = spawnSync(process.execPath, [script, 'nonsense'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('not "nonsense"')]);
});
