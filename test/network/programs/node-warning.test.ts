import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { script } from '../../../src/network/tools/node-hook/main.ts?program';
import { temporaryFolder } from '../egress-fixture.ts';

test('a program says nothing of Node’s own proxy, and everything else that it warns of', () => {
  const hook = join(temporaryFolder(), 'hook.cjs');
  writeFileSync(hook, script);
  const warning =
    "process.emitWarning('of the proxy', { code: 'UNDICI-EHPA' }); process.emitWarning('of its own')";
  const said = execFileSync('sh', ['-c', '"$0" -e "$1" 2>&1', process.execPath, warning], {
    env: { NODE_OPTIONS: `--require ${hook}` },
    encoding: 'utf8',
  });
  expect(said).toContain('Warning: of its own');
  expect(said).not.toContain('of the proxy');
});
