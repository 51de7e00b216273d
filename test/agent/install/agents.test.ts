import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isOlder, type MayInstall, openAgents, versionIn } from '../../../src/agent/install/agents.ts';
import { lockedPackageOf } from '../../../src/agent/install/installer.ts';
import { installableNames, type ProfileName, profileNames, profileOf } from '../../../src/profiles/index.ts';
import type { Profile } from '../../../src/profiles/profile.ts';
import { put, temporaryFolder } from '../agent-fixture.ts';
import { options } from './registry.ts';

const known = (use: ProfileName): Profile => profileOf({ use, timeout_s: 1 });
const claude = known('claude');

/** Sets the search path for the time of a test. */
function searchIn(path: string): void {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  onTestFinished(() => {
    process.env['PATH'] = before;
  });
}

/** A folder that comes first on the search path, with a program that prints this. */
function onPath(name: string, script: string): string {
  const folder = temporaryFolder();
  put(folder, { [name]: `#!/bin/sh\n${script}\n` });
  searchIn(`${folder}:${process.env['PATH']}`);
  return join(folder, name);
}

function agents(mayInstall: MayInstall = false) {
  const { workRoot, ...rest } = options();
  const { ready } = openAgents({ ...rest, mayInstall });
  return { ready: (agent: Profile, command?: readonly string[]) => ready(agent, { workRoot, command }) };
}

test('an agent on the search path is used', async () => {
  const path = onPath('claude-agent-acp', 'echo "claude-agent-acp v0.100.3"');
  expect(await agents().ready(claude)).toEqual({
    kind: 'ready',
    argv: [path],
    readable: [],
    version: '0.100.3',
  });
});

test('one that is too old is named with what is expected and what helps', async () => {
  const path = onPath('claude-agent-acp', 'echo 0.99.9');
  expect(await agents().ready(claude)).toEqual({
    kind: 'missing',
    problem:
      `Claude Code is not here: ${path} has the version 0.99.9, and Coxswain needs 0.100.0 or a newer one. ` +
      'Install it with `npm install --global @agentclientprotocol/claude-agent-acp@0.100.0`, ' +
      "or let Coxswain do it: `install: [claude]` in the operator's file.",
  });
});

test.each([
  ['exit 3', 'ended with exit code 3'],
  ['echo hello', 'names no version: hello'],
])('one that does not say its version (%s) is not used', async (script, why) => {
  onPath('claude-agent-acp', script);
  const ready = await agents().ready(claude);
  expect(ready).toMatchObject({ kind: 'missing', problem: expect.stringContaining(why) });
});

test('a version is asked once, and again of another file', async () => {
  const count = join(temporaryFolder(), 'count');
  const path = onPath('claude-agent-acp', `echo x >> ${count}; grep -c x ${count} | sed 's/^/0.100./'`);
  const { ready } = agents();
  expect(await ready(claude)).toMatchObject({ version: '0.100.1' });
  expect(await ready(claude)).toMatchObject({ version: '0.100.1' });
  writeFileSync(path, '#!/bin/sh\necho 0.200.0\n');
  expect(await ready(claude)).toMatchObject({ version: '0.200.0' });
});

test('a program that is asked for its version learns nothing of us', async () => {
  process.env['COXSWAIN_LEDGER_KEY'] = 'secret';
  onTestFinished(() => void delete process.env['COXSWAIN_LEDGER_KEY']);
  const into = join(temporaryFolder(), 'environment');
  onPath('claude-agent-acp', `env > ${into}; echo 0.100.0`);
  await agents().ready(claude);
  const seen = readFileSync(into, 'utf8');
  expect(seen).not.toContain('secret');
  expect(seen).toMatch(/^HOME=.*coxswain-version-/m);
});

test('an agent that is missing is named with what helps', async () => {
  expect(await agents().ready(known('goose'))).toEqual({
    kind: 'missing',
    problem:
      'Goose is not here: there is no program `goose` on the search path. ' +
      'Install it as https://block.github.io/goose/docs/getting-started/installation says.',
  });
  const codex = await agents(['claude', 'opencode']).ready(known('codex'));
  expect(codex).toMatchObject({
    kind: 'missing',
    problem: expect.stringContaining('no program `codex-acp`'),
  });
});

test('without npm an agent cannot be installed, which is said', async () => {
  searchIn(temporaryFolder());
  expect(await agents(true).ready(claude)).toEqual({
    kind: 'missing',
    problem:
      'Claude Code could not be installed: there is no npm on the search path. ' +
      'Install it with `npm install --global @agentclientprotocol/claude-agent-acp@0.100.0`.',
  });
});

test('a command of a configuration is used as it is, and not run to see what it says', async () => {
  const marker = join(temporaryFolder(), 'ran');
  mkdirSync(marker);
  const command = ['sh', '-c', `touch ${marker}/ran`];
  const ready = { kind: 'ready', argv: command, readable: [], version: null };
  expect(await agents().ready(claude, command)).toEqual(ready);
  const unknown = profileOf({ use: 'acp', command, timeout_s: 1 });
  expect(await agents().ready(unknown, command)).toEqual(ready);
});

test('the program of a profile that a command names with arguments is looked for, but not installed', async () => {
  const command = ['claude-agent-acp', '--verbose'];
  expect(await agents(true).ready(claude, command)).toMatchObject({ kind: 'missing' });
  const path = onPath('claude-agent-acp', 'echo 0.100.0');
  expect(await agents(true).ready(claude, command)).toMatchObject({ argv: [path, '--verbose'] });
});

test.each([
  ['1.2.3', '1.2.3'],
  ['claude-agent-acp v0.100.0\n', '0.100.0'],
  ['GitHub Copilot CLI 1.0.102.\nRun update', '1.0.102'],
  ['@agentclientprotocol/codex-acp 2.6.0', '2.6.0'],
  ['1.2.3-beta.1', '1.2.3-beta.1'],
  ['12', undefined],
  ['a1.2.3', undefined],
])('the version in %j is %j', (text, version) => expect(versionIn(text)).toBe(version));

test.each([
  ['1.2.3', '1.2.4', true],
  ['1.2.10', '1.2.9', false],
  ['1.2.3', '1.2.3', false],
  ['1.2.3-beta.1', '1.2.3', true],
  ['2.0.0', '1.9.9', false],
])('%s is older than %s: %j', (version, than, is) => expect(isOlder(version, than)).toBe(is));

test('what an operator may let us install are the agents that are packages', () => {
  const packages = profileNames.filter((name) => known(name).launch.package !== undefined);
  expect(installableNames).toEqual(packages);
});

const packaged = installableNames.map(known);

test.each(packaged)(
  'the lockfile of $name names what its profile does, each package with a hash',
  async (agent) => {
    const { package: pinned } = agent.launch;
    const files: Readonly<Record<string, string>> = (await lockedPackageOf(agent))?.files ?? {};
    const manifest = JSON.parse(files['package.json'] ?? '');
    const { packages } = JSON.parse(files['package-lock.json'] ?? '');
    expect(Object.values(manifest.dependencies)).toEqual([pinned?.version]);
    expect(packages[''].dependencies).toEqual(manifest.dependencies);
    const entries = Object.entries<Record<string, string>>(packages).filter(([path]) => path !== '');
    expect(entries.filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity))).toEqual([]);
    expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
    expect(entries.some(([path]) => pinned?.program.startsWith(`${path}/`))).toBe(true);
  },
);
