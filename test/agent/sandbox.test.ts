import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { probeSandbox, type Sandbox } from '../../src/agent/index.ts';
import {
  type AgentFixture,
  agentFixture,
  probed,
  put,
  sandboxed,
  verifyBy,
  workBy,
} from './agent-fixture.ts';

if (!sandboxed) console.log(`tests of the sandbox are skipped: ${probed.note}`);

describe.skipIf(!sandboxed)('inside the sandbox', () => {
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
    expect(said.split('\n').filter((name) => /^[A-Z_]+$/.test(name))).toEqual([
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
      'PATH',
      'PWD',
      'TERM',
      'TMPDIR',
    ]);
  });

  test('nothing outside the workspace can be written, nor made writable', async () => {
    const on = await agentFixture({});
    const outside = join(on.root, 'outside.txt');
    const any = 'head -3 | grep . && echo ESCAPED';
    const said = await output(on, [
      `touch ${outside}; test -w /etc && echo ESCAPED; test -w /usr && echo ESCAPED`,
      'mount -o remount,rw / && test -w /etc && echo ESCAPED',
      'unshare -rm sh -c "mount -o remount,rw / && test -w /etc" && echo ESCAPED',
      // Only checked, because a real write would change the machine that runs the test.
      `find /proc /sys -path "/proc/[0-9]*" -prune -o -path "/proc/*self" -prune -o -type f -writable -print | ${any}`,
    ]);
    expect(said).not.toContain('ESCAPED');
    expect(existsSync(outside)).toBe(false);
  });

  test('homes, services and what the operator hides are invisible', async () => {
    const on = await agentFixture({});
    put(on.root, { 'data/other-run/secret.txt': 'other', 'app.pem': 'the key' });
    // The workspace and the mirror are in a hidden folder, and are still visible.
    const hidden = [on.root, join(on.root, 'app.pem')];
    const sandbox = await probeSandbox('required', { hidden });
    const hiding: AgentFixture = { ...on, resources: { ...on.resources, sandbox } };
    const said = await output(hiding, [
      `ls -A ${on.root}; git log --format=%s`,
      `cat ${on.root}/app.pem 2>/dev/null | wc -c`,
      'ls -A /run | grep -v -e systemd -e resolvconf -e NetworkManager | wc -l',
    ]);
    expect(said.trim().split('\n')).toEqual(['app.pem', 'mirror.git', 'work', 'Begin', '0', '0']);
  });

  test('Git can be read, but neither its history nor its link can be changed', async () => {
    const on = await agentFixture({ 'a.txt': 'a\n' });
    const said = await output(on, [
      'echo b > a.txt; git diff --stat; git log --format=%s',
      'git commit -qam mine && echo COMMITTED',
      'rm -f .git; echo "gitdir: /tmp" > .git; mv .git moved && echo MOVED',
      `git -C ${on.mirror.dir} update-ref refs/heads/main HEAD && echo MOVED`,
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

  test('agent configuration on the branch is hidden from the agent, and stays in the commit', async () => {
    const files = {
      '.claude/settings.json': '{"permissions": "all"}',
      'real.json': '{"mcp": 1}',
      'a.txt': 'a',
    };
    const on = await agentFixture(files);
    const first = await workBy('ln -s real.json .mcp.json; ln -s /etc .codex', on);
    const commit = first.kind === 'finished' ? first.work.head : '';
    const said = await output({ ...on, head: commit }, [
      'ls -A .claude',
      'cat .mcp.json real.json',
      'ls .codex/passwd',
    ]);
    expect(said).not.toMatch(/settings|mcp": 1/);
    expect(said).toContain('.codex/passwd');
    const second = await workBy('echo b > a.txt', { ...on, head: commit });
    expect(second).toMatchObject({ work: { changes: { files: [{ path: 'a.txt' }] } } });
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
    wrap: (argv) => ['sh', '-c', breaking, 'sh', ...argv],
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
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'sandbox' }, kept: null });
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
