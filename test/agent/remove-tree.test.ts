import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pruneWorkspaces, removeAside } from '../../src/agent/index.ts';
import { removeTree } from '../../src/agent/sandbox/folders.ts';
import { agentFixture, failOnLeft, temporaryFolder } from './agent-fixture.ts';

/** What a program can do so that its folder is hard to remove. */

/** Makes folders inside each other, from within, as a path of that length would not be accepted. */
function nest(folder: string, levels: number, name = 'd'): void {
  const program = `for (let n = 0; n < ${levels}; n++) { fs.mkdirSync('${name}'); process.chdir('${name}'); }`;
  execFileSync(process.execPath, ['-e', `const fs = require('fs'); ${program}`], { cwd: folder });
}

function folderWith(make: (folder: string) => void): string {
  const folder = join(temporaryFolder(), 'attempt');
  mkdirSync(folder);
  make(folder);
  return folder;
}

test.each([
  ['3,000 folders', (folder: string) => nest(folder, 3000)],
  ['10,000 folders', (folder: string) => nest(folder, 10_000)],
  ['300 folders with the longest names', (folder: string) => nest(folder, 300, 'n'.repeat(255))],
])('%s inside each other are removed', async (_, make) => {
  const folder = folderWith(make);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a tree is removed whose folders are closed, whose names are no text, and that is full of links', async () => {
  const folder = folderWith((path) => {
    nest(path, 2500);
    mkdirSync(join(path, 'closed', 'inner'), { recursive: true });
    writeFileSync(join(path, 'closed', 'inner', 'a.txt'), 'a');
    chmodSync(join(path, 'closed', 'inner'), 0);
    chmodSync(join(path, 'closed'), 0);
    mkdirSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe])]));
  });
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, 'kept.txt'), 'kept');
  symlinkSync(elsewhere, join(folder, 'link'));
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(elsewhere)).toEqual(['kept.txt']);
});

/** What keeps a folder from being removed, and how that is undone. */
const pins = {
  mounted: { pin: ['mount', '-t', 'tmpfs', 'none'], release: ['umount'] },
  immutable: { pin: ['chattr', '+i'], release: ['chattr', '-i'] },
} as const;

function succeeds([program = '', ...argv]: readonly string[]): boolean {
  try {
    execFileSync(program, argv, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.each(Object.entries(pins))('a folder that is %s', (how, { pin, release }) => {
  test('is reported and keeps neither the rest nor the next workspace from being removed', async (context) => {
    const on = await agentFixture({});
    const { workRoot } = on.resources;
    const places = join(workRoot, 'attempts');
    const home = join(places, 'a-stuck', 'home');
    mkdirSync(join(home, 'pinned'), { recursive: true });
    if (!succeeds([...pin, join(home, 'pinned')])) return context.skip(`nothing can be ${how} here`);
    const aside = join(workRoot, 'removing');
    try {
      nest(home, 3000);
      writeFileSync(join(home, 'rest.txt'), 'rest');
      mkdirSync(join(places, 'b-next', 'home'), { recursive: true });
      const left: string[] = [];
      const report = (problem: string) => void left.push(problem);
      await pruneWorkspaces(on.mirror, workRoot, report);
      expect(readdirSync(places)).toEqual([]);
      await removeAside(workRoot, report);
      expect(left).toEqual([expect.stringMatching(/^could not remove .*a-stuck: E/)]);
      expect(readdirSync(aside)).toEqual(['a-stuck']);
      expect(existsSync(join(aside, 'a-stuck', 'home', 'rest.txt'))).toBe(false);
    } finally {
      for (const each of [home, join(aside, 'a-stuck', 'home')]) succeeds([...release, join(each, 'pinned')]);
    }
    await removeAside(workRoot, failOnLeft);
    expect(readdirSync(aside)).toEqual([]);
  });
});
