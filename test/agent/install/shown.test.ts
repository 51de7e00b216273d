import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../src/agent/attempt/workspace.ts';
import { runSandboxed } from '../../../src/agent/port/sandboxed-run.ts';
import { agentFixture, default_branch, hold, put, temporaryFolder } from '../agent-fixture.ts';
import { stateOf } from '../states.ts';

test('a program is shown a folder that it needs, and cannot change it', {
  tags: ['bubblewrap'],
}, async () => {
  const folder = temporaryFolder();
  put(folder, { 'bin/tool': '#!/bin/sh\necho shown\n' });
  chmodSync(folder, 0o755);
  const on = await agentFixture({});
  const state = stateOf({ head: on.head });
  const assignment = { state, hold, commit: on.head, default_branch };
  const { context, remove } = await openWorkspace(assignment, on.resources);
  onTestFinished(remove);
  const line = `${folder}/bin/tool; touch ${folder}/made; echo x >> ${folder}/bin/tool; ls ${folder}`;
  const said = async (readable: readonly string[]) => {
    const program = { argv: ['sh', '-c', line], use: 'agent' as const, command: line, timeoutMs: 20_000 };
    const result = await runSandboxed(
      context,
      { ...program, confinement: { readable } },
      new AbortController().signal,
    );
    return result.stdout;
  };
  expect(await said([folder])).toBe('shown\nbin\n');
  expect(existsSync(join(folder, 'made'))).toBe(false);
  // An empty folder of its name may be left in the attempt's own temporary folder.
  expect(await said([])).not.toMatch(/shown|bin/);
});
