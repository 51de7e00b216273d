import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { put } from '../agent-fixture.ts';
import { oneFailed, testsAfter, workspaceWith } from './reading.ts';

test('only where there are reports does a workspace of too many files lack some', async () => {
  const workspace = workspaceWith();
  execFileSync('sh', ['-c', 'seq 200001 | xargs touch'], { cwd: workspace });
  expect(await testsAfter(workspace, () => undefined)).toBeUndefined();
  const report = await testsAfter(workspace, () => put(workspace, { 'out/junit.xml': oneFailed }), {
    globs: ['out/*.xml'],
  });
  expect(report).toMatchObject({ total: 0, unread: [expect.stringContaining('too many files')] });
});
