import { execFileSync, type StdioOptions } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../agent/agent-fixture.ts';

const program = `
import { runProcessGroup } from ${JSON.stringify(join(process.cwd(), 'src/process/process-group.ts'))};
const say = (chunk) => process.stdout.write(chunk);
const list = 'for each in /proc/self/fd/*; do readlink "$each"; done';
const options = { env: { PATH: process.env.PATH }, timeoutMs: 20_000, onStdout: say, onStderr: say };
await runProcessGroup(['sh', '-c', list], options);
`;

test.runIf(process.platform === 'linux')(
  'what whoever started us left open is not open in programs',
  async () => {
    const folder = temporaryFolder();
    const [entry, secret] = [join(folder, 'entry.mjs'), join(folder, 'secret')];
    writeFileSync(entry, program);
    writeFileSync(secret, 'the key');
    const build = await rolldown({ input: entry, platform: 'node' });
    const file = join(folder, 'program.mjs');
    await build.write({ file, format: 'esm' });
    await build.close();
    const open = openSync(secret, 'r');
    // Above a gap, because Node closes the first sixteen itself, and all that follow each other.
    const gap = Array<'ignore'>(37).fill('ignore');
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...gap, open];
    const said = execFileSync(process.execPath, [file], { encoding: 'utf8', stdio });
    closeSync(open);
    expect(said).toContain('/dev/null');
    expect(said).not.toContain('secret');
  },
);
