import { delimiter } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { agentFixture, put, temporaryFolder, verifyBy, workBy } from './agent-fixture.ts';

/** From now on, `bwrap` is this script. */
function replaceBubblewrap(script: string): void {
  const folder = temporaryFolder();
  put(folder, { bwrap: `#!/bin/sh\n${script}\n` });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('a bubblewrap that fails after the App has started', { tags: ['bubblewrap'] }, () => {
  test('is not the failure of an agent', async () => {
    const on = await agentFixture({});
    replaceBubblewrap('echo "cannot make a sandbox" >&2; exit 127');
    expect(await workBy('true', on)).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringMatching(/could not start.*cannot make a sandbox/) },
    });
  });

  test('is not the failure of a verifier', async () => {
    const on = await agentFixture({});
    replaceBubblewrap('exit 1');
    const outcome = await verifyBy({ test: 'true' }, on);
    const [result] = outcome.kind === 'verified' ? outcome.verifiers : [];
    expect(JSON.stringify(result)).toMatch(/could not start: the sandbox could not be made/);
  });
});

test('a program that prints what bubblewrap would say has failed by itself', async () => {
  const on = await agentFixture({});
  const pretends = "echo 'bwrap: Creating new namespace failed' >&2; exit 1";
  const outcome = await verifyBy({ test: pretends }, on);
  const [result] = outcome.kind === 'verified' ? outcome.verifiers : [];
  expect(result).toMatchObject({ exit_code: 1, stderr: 'bwrap: Creating new namespace failed\n' });
  expect(await workBy(pretends, on)).toMatchObject({ kind: 'failed', failure: { kind: 'exit' } });
});

test('a program holds no descriptor by which it could say that it has run', async () => {
  const on = await agentFixture({});
  const outcome = await verifyBy({ test: 'ls -l /proc/self/fd' }, on);
  const [result] = outcome.kind === 'verified' ? outcome.verifiers : [];
  expect(result?.stdout).toContain(' 1 -> ');
  expect(result?.stdout).not.toContain('status');
});
