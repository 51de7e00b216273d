import { describe, expect, test } from 'vitest';
import { type MachineSettings, probeSandbox } from '../../src/agent/index.ts';
import { agentFixture, verifyBy, workBy } from './agent-fixture.ts';

const mebibyte = 1024 * 1024;

/** What a program used too much of, by the failure of its attempt. */
async function stoppedFor(script: string, limits: MachineSettings['limits']): Promise<string> {
  const on = await agentFixture({}, { sandbox: await probeSandbox('required', { limits: limits ?? {} }) });
  const outcome = await workBy(script, on);
  return outcome.kind === 'failed' ? `${outcome.failure.kind}: ${outcome.failure.message}` : outcome.kind;
}

describe('a program', { tags: ['bubblewrap'] }, () => {
  test('cannot start more processes than it may', async () => {
    const sandbox = await probeSandbox('required', { limits: { processes: 60 } });
    const on = await agentFixture({}, { sandbox });
    const starting =
      'for (let n = 0; n < 300; n++) spawn("sleep", ["60"]).on("error", () => undefined).pid && count++';
    const program = `const { spawn } = require("child_process"); let count = 0; ${starting}; console.log(count)`;
    const outcome = await verifyBy({ bomb: `node -e '${program}; process.exit()'` }, on);
    const [result] = outcome.kind === 'verified' ? outcome.verifiers : [];
    expect(Number(result?.stdout)).toBeGreaterThan(20);
    expect(Number(result?.stdout)).toBeLessThan(60);
  });

  test('is stopped when it keeps all the processes that it may have, and people read that', async () => {
    const starting = 'for (let n = 0; n < 300; n++) spawn("sleep", ["60"]).on("error", () => undefined)';
    const program = `const { spawn } = require("child_process"); ${starting}; setTimeout(() => undefined, 60_000)`;
    const said = await stoppedFor(`node -e '${program}'`, { processes: 60 });
    expect(said).toMatch(/resources: .* all 60 processes and threads that it may have/);
  });

  test('is stopped when it takes more memory than it may', async () => {
    const eating = 'const all = []; for (;;) all.push(Buffer.alloc(5_000_000, 1));';
    const said = await stoppedFor(`node -e '${eating}'`, { memoryBytes: 300 * mebibyte });
    expect(said).toMatch(/resources: .* was stopped: it used more memory than 300 MiB/);
  });

  test('is stopped when its files together take more of the disk than it may', async () => {
    const filling = 'for each in $(seq 100); do head -c 10M /dev/zero > "$HOME/$each"; done; sleep 60';
    expect(await stoppedFor(filling, { diskBytes: 200 * mebibyte })).toMatch(
      /resources: .*more disk than 200 MiB/,
    );
  });

  test('cannot write a file that is larger than its disk', async () => {
    const said = await stoppedFor('head -c 30M /dev/zero > x; ls -l x >&2; exit 3', {
      diskBytes: 20 * mebibyte,
    });
    expect(said).toMatch(/exit code 3[\s\S]*20971520 .* x/);
  });
});
