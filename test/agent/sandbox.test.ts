import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { probeSandbox, type Sandbox } from '../../src/agent/index.ts';
import { toolchainVariables } from '../../src/agent/process/program-environment.ts';
import { proxyEnvironment } from '../../src/network/tools/proxy-settings.ts';
import { type AgentFixture, agentFixture, put, temporaryFolder, verifyBy, workBy } from './agent-fixture.ts';

describe('inside the sandbox', { tags: ['bubblewrap'] }, () => {
  test('neither our environment nor our processes can be read', async () => {
    vi.stubEnv('COXSWAIN_TEST_KEY', 'the-key-of-the-app');
    const on = await agentFixture({});
    const said = await output(on, [
      'cat /proc/*/environ | tr "\\0" "\\n"',
      `cat /proc/${process.pid}/environ /proc/${process.ppid}/environ`,
      'cat /proc/*/cmdline | tr "\\0" " "',
    ]);
    vi.unstubAllEnvs();
    expect(said).toContain('CI=true');
    expect(said).not.toContain('the-key-of-the-app');
    expect(said).not.toContain('vitest');
  });

  test('the environment starts empty', async () => {
    vi.stubEnv('GITHUB_TOKEN', 'ambient');
    const on = await agentFixture({}, { environment: { MODEL_URL: 'http://127.0.0.1:1/v1' } });
    const said = await output(on, ['env | cut -d= -f1 | sort']);
    vi.unstubAllEnvs();
    const known = Object.keys({ ...toolchainVariables(), ...proxyEnvironment(1) });
    const names = said.split('\n').filter((name) => /^[A-Z_]+$/.test(name) && !known.includes(name));
    expect(names).toEqual([
      'CI',
      'COXSWAIN_ATTEMPT',
      'COXSWAIN_CHILD',
      'COXSWAIN_ITERATION',
      'COXSWAIN_PROMPT_FILE',
      'COXSWAIN_REPORT_FILE',
      'COXSWAIN_RUN',
      'GIT_OPTIONAL_LOCKS',
      'HOME',
      'LANG',
      'MODEL_URL',
      'NODE_OPTIONS',
      'PATH',
      'PWD',
      'TERM',
      'TMPDIR',
    ]);
  });

  test('nothing outside the workspace can be written, nor made writable', async () => {
    const on = await agentFixture({});
    const outside = join(on.root, 'outside.txt');
    // Settings of its own namespaces of processes and of what they share, which change nothing outside.
    const own = '/proc/sys/(fs/mqueue/|kernel/(msg|sem|shm|auto_msgmni|ns_last_pid|pid_max))';
    const any = `grep -vE "^${own}" | head -3 | grep . && echo ESCAPED`;
    const said = await output(on, [
      `touch ${outside}; test -w /etc && echo ESCAPED; test -w /usr && echo ESCAPED`,
      'mount -o remount,rw / && test -w /etc && echo ESCAPED',
      'unshare -rm sh -c "mount -o remount,rw / && test -w /etc" && echo ESCAPED',
      // Only checked, because a real write would change the machine that runs the test.
      `find /proc -path "/proc/[0-9]*" -prune -o -path "/proc/*self" -prune -o -type f -writable -print | ${any}`,
    ]);
    expect(said).not.toContain('ESCAPED');
    expect(existsSync(outside)).toBe(false);
  });

  test('of the machine only what is named exists, whatever its owner and mode', async () => {
    const on = await agentFixture({});
    const secrets = '/etc/shadow /etc/sudoers /etc/environment /etc/ssh /etc/systemd /root/.npmrc';
    put(on.root, { 'data/other-run/secret.txt': 'other', 'app.pem': 'the key' });
    const said = await output(on, [
      'ls -A /',
      `cat ${on.root}/app.pem; ls -A ${on.root}`,
      `for each in ${secrets}; do test -e $each && echo ESCAPED $each; done`,
    ]);
    const [top = ''] = said.split('cat: ');
    const known = 'bin dev etc home lib lib32 lib64 libx32 nix opt proc root run sbin tmp usr var work';
    expect(
      top
        .trim()
        .split('\n')
        .filter((name) => !known.split(' ').includes(name)),
    ).toEqual([]);
    expect(said).not.toMatch(/ESCAPED|the key|secret/);
    expect(said).toContain(`cannot access '${on.root}'`);
  });

  test('what the operator names can be read, also below the temporary folder, and not changed', async () => {
    const named = temporaryFolder();
    put(named, { 'tools/hello': '#!/bin/sh\necho hello\n' });
    const sandbox = await probeSandbox('required', { readable: [join(named, 'tools')] });
    const on = await agentFixture({}, { sandbox });
    const said = await output(on, [`${named}/tools/hello`, `touch ${named}/tools/x && echo ESCAPED`]);
    expect(said).toMatch(/^hello\ntouch: .*Read-only file system/);
  });

  test('settings of toolchains that can have credentials are empty, and what is beside them is there', async () => {
    const machine = temporaryFolder();
    const secret = 'token-of-the-operator';
    const node = 'home/.nvm/versions/node/v24.0.0';
    const kept = ['npmrc', '.npmrc'].map((name) => [`${node}/etc/${name}`, secret]);
    put(machine, {
      ...Object.fromEntries(kept),
      [`${node}/bin/tool`]: '#!/bin/sh\necho works\n',
      'cache/python/3.13.0/x64/pip.conf': secret,
      'cache/python/3.13.0/x64/pip.py': 'pip',
      'maven/bin/mvn': '#!/bin/sh\n',
      'maven/conf/settings.xml': secret,
      'maven/conf/logging/simplelogger.properties': 'logging',
    });
    vi.stubEnv('PATH', `${machine}/${node}/bin:${machine}/maven/bin:${process.env['PATH']}`);
    vi.stubEnv('RUNNER_TOOL_CACHE', `${machine}/cache`);
    const on = await agentFixture({});
    const said = await output(on, [
      `tool; cat ${machine}/cache/python/3.13.0/x64/pip.py ${machine}/maven/conf/logging/*`,
      `grep -rs ${secret} ${machine} && echo ESCAPED`,
      `cat ${machine}/maven/conf/settings.xml`,
    ]);
    vi.unstubAllEnvs();
    expect(said).not.toContain('ESCAPED');
    expect(said).toBe('works\npiplogging<settings/>\n');
  });

  test('Git can be read, but neither its history nor its link can be changed', async () => {
    const on = await agentFixture({ 'a.txt': 'a\n' });
    const said = await output(on, [
      'echo b > a.txt; git diff --stat; git log --format=%s',
      'git commit -qam mine && echo COMMITTED',
      'rm -f .git; echo "gitdir: /tmp" > .git; mv .git moved && echo MOVED',
      `git -C "$(git rev-parse --git-common-dir)" update-ref refs/heads/main HEAD && echo MOVED`,
    ]);
    expect(said).toContain('a.txt | 2 +-');
    expect(said).toContain('Begin');
    expect(said).not.toMatch(/COMMITTED|MOVED/);
  });

  test('home and temporary folder are fresh and writable', async () => {
    const on = await agentFixture({});
    const said = await output(on, [
      'ls -A "$HOME" "$TMPDIR" | grep -v coxswain-test',
      'touch "$HOME/x" "$TMPDIR/y" && echo fine',
    ]);
    expect(said).toContain('fine');
  });

  test('shared memory can be used, as browsers and pools of processes do', async () => {
    const on = await agentFixture({});
    const said = await output(on, [
      'echo shared > /dev/shm/x && cat /dev/shm/x',
      'touch /dev/x && echo ESCAPED; head -c 300M /dev/zero > /dev/shm/y || echo full',
    ]);
    expect(said).toMatch(/^shared\n/);
    expect(said).toMatch(/full\n$/);
    expect(said).not.toContain('ESCAPED');
  });

  test('agent configuration on the branch is hidden from the agent, and stays in the commit', async () => {
    const files = {
      '.claude/settings.json': '{"permissions": "all"}',
      '.mcp.json': '{"mcp": 1}',
      'a.txt': 'a',
    };
    const on = await agentFixture(files);
    const said = await output(on, ['ls -A .claude', 'cat .mcp.json', 'echo looked']);
    expect(said).toBe('looked\n');
    const outcome = await workBy('echo b > a.txt', on);
    expect(outcome).toMatchObject({ work: { changes: { files: [{ path: 'a.txt' }] } } });
  });

  // Field 5 of a process's stat is its group; 0 is a group from outside.
  test('its first process stays in the group that is killed, and the program has its own group', async () => {
    const on = await agentFixture({});
    const said = await output(on, ['for each in 1 $$; do cut -d" " -f5 "/proc/$each/stat"; done']);
    expect(said).toMatch(/^0\n[1-9]\d*\n$/);
  });

  test('a program that kills its own group does not take the sandbox with it', async () => {
    const on = await agentFixture({});
    expect(await output(on, ['trap "" TERM; kill 0; echo survived'])).toBe('survived\n');
  });

  test('node, npm and git run inside', async () => {
    const on = await agentFixture({});
    const said = await output(on, ['node -p "1 + 1"', 'npm --version', 'git --version']);
    expect(said).toMatch(/^2\n\d+\.\d+\.\d+\ngit version/);
  });
});

test('with an older bubblewrap everything else holds', { tags: ['bubblewrap'] }, async () => {
  const older = temporaryFolder();
  put(older, { bwrap: olderBubblewrap });
  // As the programs of a machine are, for every user.
  chmodSync(older, 0o755);
  vi.stubEnv('PATH', `${older}:${process.env['PATH']}`);
  const on = await agentFixture({}, { sandbox: await probeSandbox('required') });
  const said = await output(on, [
    'cat /proc/self/status | grep CapEff; cat /etc/shadow && echo ESCAPED',
    'echo shared > /dev/shm/x && cat /dev/shm/x; stat -c %d /dev/shm /tmp | uniq | wc -l',
  ]);
  vi.unstubAllEnvs();
  expect(said).not.toContain('ESCAPED');
  // Shared memory is on the disk: of the machine's it could take half, which is not counted as the program's.
  expect(said).toMatch(/CapEff:\t0{16}\n[\s\S]*\nshared\n1\n/);
});

/** Neither of these options exists before 0.8. */
const olderBubblewrap = `#!/bin/sh
[ "$1" = --help ] && { /usr/bin/env PATH="\${PATH#*:}" bwrap --help | grep -v -e --disable-userns -e --size; exit; }
for each; do case "$each" in --disable-userns|--size) echo "bwrap: Unknown option $each" >&2; exit 1;; esac; done
PATH="\${PATH#*:}" exec bwrap "$@"
`;

test('without bubblewrap a preferred sandbox warns, and a required one says how to install it', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const preferred = await probeSandbox('preferred');
  const required = probeSandbox('required');
  await expect(required).rejects.toThrow(/required.*apt install bubblewrap.*AppArmor/);
  vi.unstubAllEnvs();
  expect(preferred.kind).toBe('none');
  expect(preferred.note).toMatch(/no sandbox: .* same permissions as Coxswain/);
});

test('an error of the sandbox is reported as such, never as a failure of the agent or a verifier', async () => {
  const broken: Sandbox = {
    kind: 'bubblewrap',
    note: null,
    problem: null,
    unbounded: null,
    prepare: async () => undefined,
    confine: async (argv) => ({
      argv: ['sh', '-c', breaking, 'sh', ...argv],
      started: () => undefined,
      ended: async () => ({ exceeded: null, began: false }),
    }),
  };
  const on = await agentFixture({}, { sandbox: broken });
  expect(await workBy('true', on)).toMatchObject({
    failure: { kind: 'sandbox', message: expect.stringContaining('could not start: bwrap: no space') },
  });
  const outcome = await verifyBy({ test: 'true' }, on);
  expect(outcome).toMatchObject({
    verifiers: [{ exit_code: -1, success: false, stderr: expect.stringContaining('bwrap: no space') }],
  });
});

const breaking = 'echo "bwrap: no space" >&2; exit 1';

test('nothing runs without a sandbox if the configuration requires one', async () => {
  const on = await agentFixture({}, { sandbox: await probeSandbox('off') });
  const outcome = await workBy('touch x', on, { settings: { sandbox: 'required' } });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'sandbox' }, left: null });
});

test('the missing sandbox is noted in the attempt’s log', async () => {
  const on = await agentFixture({}, { sandbox: await probeSandbox('off') });
  const outcome = await workBy('touch x', on);
  const log =
    outcome.kind === 'finished' ? outcome.artefacts.find(({ path }) => path.endsWith('reasoning.md')) : null;
  expect(log?.content).toMatch(/\[COXSWAIN\] the sandbox is switched off/);
});

/** The output of shell lines that run as an agent, including errors. */
async function output(on: AgentFixture, lines: readonly string[]): Promise<string> {
  const script = lines.map((line) => `{ ${line}; } 2>&1`).join('\n');
  const outcome = await workBy(`${script}\ntrue`, on);
  if (outcome.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(outcome, null, 2)}`);
  const log = outcome.artefacts.find(({ path }) => path.endsWith('reasoning.md'))?.content ?? '';
  return log.replace(/^\[[^\]]+\] \[AGENT\] /, '').replace(/\n\n\[[^\]]+\] \[COXSWAIN\] [^\n]*\n\n$/, '');
}
