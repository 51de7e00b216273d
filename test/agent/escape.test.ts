import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { agentFixture, verifyBy, workBy } from './agent-fixture.ts';
import { saidToOtherUser } from './other-user.ts';

/** Ways out of a sandbox that namespaces alone leave open. */

const isRoot = process.getuid?.() === 0;
const sourceOf = (name: string): string =>
  readFileSync(new URL(`programs/${name}`, import.meta.url)).toString('base64');

/** A line of shell that puts a program of ours there. */
const put = (name: string, path: string): string => `echo ${sourceOf(name)} | base64 -d > ${path}`;

const canTrace = isRoot && process.arch === 'x64';

test.skipIf(!canTrace)(
  'a program that unties the first process of its sandbox ends with its command',
  { tags: ['bubblewrap', 'cc'] },
  async () => {
    const name = `left${process.pid}`;
    const said = await saidToOtherUser(
      [
        `${put('free-first-process.c', '/tmp/free.c')} && cc -o /tmp/free /tmp/free.c && /tmp/free`,
        `cp /bin/sleep /tmp/${name}; env -i setsid /tmp/${name} 60 <&- >&- 2>&- & sleep 0.2; /tmp/free`,
      ],
      { namespaces: true },
    );
    // Where the kernel forbids tracing, there is nothing to untie.
    expect(said).toMatch(/freed: 0 1\n[\s\S]*freed: 0 1\n|refused/);
    const running = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && commandOf(id).includes(name));
    for (const id of running) process.kill(Number(id), 'SIGKILL');
    expect(running).toEqual([]);
  },
);

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

describe('of what leads out of namespaces', { tags: ['bubblewrap', 'python3'] }, () => {
  const line = `${put('outside.py', '/tmp/outside.py')}; python3 /tmp/outside.py`;
  const nothing = /families: 1 2 (?:10 )?16\ncalls: getpid$/m;

  test('an agent is given nothing', async () => {
    const on = await agentFixture({});
    const outcome = await workBy(`${line} >&2; exit 3`, on);
    expect(outcome).toMatchObject({ failure: { message: expect.stringMatching(nothing) } });
  });

  test('a verifier is given nothing', async () => {
    const outcome = await verifyBy({ look: line }, await agentFixture({}));
    expect(outcome).toMatchObject({ verifiers: [{ stdout: expect.stringMatching(nothing) }] });
  });

  test('this machine has some', () => {
    const said = execFileSync('sh', ['-c', `echo ${sourceOf('outside.py')} | base64 -d | python3 -`]);
    expect(said.toString()).not.toMatch(nothing);
  });
});

describe('before the sandbox is closed', { tags: ['bubblewrap'] }, () => {
  test('no program runs that one of the attempt has put on the search path', async () => {
    const folder = `/tmp/coxswain-nowhere-${process.pid}`;
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const names = ['setpriv', 'bwrap', 'setsid', 'prlimit'];
    const plant = names.map((name) => `printf '#!/bin/sh\necho ESCAPED' > ${name}; chmod 755 ${name}`);
    const planted = `mkdir ${folder} && cd ${folder} && ${plant.join(' && ')}`;
    const outcome = await verifyBy({ plant: planted, test: 'echo held' }, await agentFixture({}));
    expect(outcome).toMatchObject({ verifiers: [{ exit_code: 0 }, { exit_code: 0, stdout: 'held\n' }] });
  });

  test('no library is loaded from the workspace, whatever variables the agent has', async () => {
    const environment = { LD_LIBRARY_PATH: ':/opt/sdk/lib', LD_PRELOAD: './evil.so' };
    const on = await agentFixture({ 'libcap.so.2': 'not a library\n' }, { environment });
    const outcome = await workBy('echo "$LD_LIBRARY_PATH $LD_PRELOAD" > seen', on);
    if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
    expect(on.git('show', `${outcome.work.head}:seen`)).toBe(':/opt/sdk/lib ./evil.so');
    expect(on.git('diff', '--name-only', on.head, outcome.work.head)).toBe('seen');
  });
});
