import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Installed, installed } from '../../../src/agent/install/installer.ts';
import { options, type Published, publish } from './registry.ts';

const anything = async (): Promise<string | null> => null;
const program = join('node_modules', 'toy-agent', 'main.js');

function folderOf(result: Installed): string {
  if ('problem' in result) throw new Error(result.problem);
  return result.folder;
}

function install({ agent, locked }: Published, into = options(), check = anything) {
  return installed(agent, locked, { ...into, check });
}

test('an agent is installed as its lockfile says, without its scripts, for everybody to read', async () => {
  const toy = await publish();
  const into = options();
  const umask = process.umask(0o077);
  const folder = folderOf(await install(toy, into).finally(() => process.umask(umask)));
  expect(basename(folder)).toBe(`claude-1.2.3-${toy.locked.digest.slice(0, 12)}`);
  expect(existsSync(join(folder, 'node_modules', 'toy-agent', 'ran-a-script'))).toBe(false);
  for (const path of ['.', 'node_modules', join('node_modules', 'toy-agent')]) {
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o755);
  }
  expect(statSync(join(folder, program)).mode & 0o444).toBe(0o444);
  expect(into.said[0]).toBe('installing Claude Code 1.2.3');
  expect(into.said[1]).toMatch(/^installed Claude Code in \d+ s$/);
  expect(readdirSync(join(into.cache, 'making'))).toEqual([]);
});

test('it is installed once', async () => {
  const toy = await publish();
  const into = options();
  const first = await install(toy, into);
  expect(await install(toy, into)).toEqual(first);
  expect(toy.downloads()).toBe(1);
});

test('an archive that is not the one of the lockfile is refused, and nothing stays', async () => {
  const toy = await publish({ changed: true });
  const into = options();
  expect(await install(toy, into)).toEqual({
    problem: expect.stringMatching(/^npm ended with .*EINTEGRITY/),
  });
  expect(readdirSync(into.cache)).toEqual(['making']);
  expect(readdirSync(join(into.cache, 'making'))).toEqual([]);
});

test('one whose program does not work is not put in place', async () => {
  const toy = await publish();
  const into = options();
  const result = await install(toy, into, async () => 'it says that it is 9.9.9, not 1.2.3');
  expect(result).toEqual({ problem: 'it says that it is 9.9.9, not 1.2.3' });
  expect(readdirSync(into.cache)).toEqual(['making']);
});

test('what npm says is passed on when it fails', async () => {
  const toy = await publish({ missing: true });
  expect(await install(toy)).toEqual({
    problem: expect.stringMatching(/^npm ended with exit code 1: .*E404.*toy-agent/s),
  });
});

test.each([
  ['is missing', (file: string) => rmSync(file)],
  ['was cut off', (file: string) => truncateSync(file, 3)],
])('what was installed is replaced when a file of it %s', async (_, damage) => {
  const toy = await publish();
  const into = options();
  const folder = folderOf(await install(toy, into));
  damage(join(folder, program));
  expect(folderOf(await install(toy, into))).toBe(folder);
  expect(statSync(join(folder, program)).size).toBeGreaterThan(3);
  expect(toy.downloads()).toBe(2);
  expect(readdirSync(into.cache).sort()).toEqual([basename(folder), 'making']);
});

test('of several that install the same at once one wins, and all use it', async () => {
  const toy = await publish();
  const into = options();
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => (release = resolve));
  toy.onDownload = async () => {
    if (toy.downloads() === 2) release();
    await both;
  };
  const results = await Promise.all([install(toy, into), install(toy, into)]);
  expect(results[0]).toEqual(results[1]);
  expect(toy.downloads()).toBe(2);
  expect(readdirSync(into.cache).sort()).toEqual([basename(folderOf(results[0])), 'making']);
  expect(readdirSync(join(into.cache, 'making'))).toEqual([]);
});

test('what a crash has left is removed, and what others are making stays', async () => {
  const toy = await publish();
  const into = options();
  const left = { dead: { pid: 1, started: 'long ago' }, unknown: undefined };
  for (const [name, owner] of Object.entries(left)) {
    mkdirSync(join(into.cache, 'making', name, 'content'), { recursive: true });
    if (owner) writeFileSync(join(into.cache, 'making', name, 'owner.json'), JSON.stringify(owner));
  }
  await install(toy, into);
  expect(readdirSync(join(into.cache, 'making'))).toEqual(['unknown']);
});

test('one that is removed by another process meanwhile stops nobody', async () => {
  const into = options();
  mkdirSync(into.cache, { recursive: true });
  // As when it is gone between being listed and being looked at.
  symlinkSync('gone', join(into.cache, 'claude-1.0.0-gone'));
  expect(folderOf(await install(await publish(), into))).toMatch(/claude-1\.2\.3/);
});

test('an older version is removed when nobody has used it for long', async () => {
  const into = options();
  for (const name of ['claude-1.0.0-old', 'claude-1.1.0-recent', 'codex-1.0.0-old']) {
    mkdirSync(join(into.cache, name), { recursive: true });
  }
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60_000);
  for (const name of ['claude-1.0.0-old', 'codex-1.0.0-old'])
    utimesSync(join(into.cache, name), longAgo, longAgo);
  const folder = folderOf(await install(await publish(), into));
  const kept = ['claude-1.1.0-recent', 'codex-1.0.0-old', 'making', basename(folder)];
  expect(readdirSync(into.cache).sort()).toEqual(kept.sort());
});
