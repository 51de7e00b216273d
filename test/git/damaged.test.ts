import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instructionFiles } from '../../src/agent/attempt/instructions.ts';
import { readSkills } from '../../src/agent/port/skills.ts';
import { parentOfKept } from '../../src/engine/landing.ts';
import { git, isDamage } from '../../src/git/git.ts';
import { exportFolder } from '../../src/git/git-index.ts';
import { isAncestor } from '../../src/git/merges.ts';
import { type Mirror, openMirror } from '../../src/git/mirror.ts';
import { inside, readObjects, sizesOf, treesOf } from '../../src/git/objects.ts';
import { planOverlay } from '../../src/git/overlay.ts';
import { addWorktree, commitAll } from '../../src/git/worktree.ts';
import { authorityOf } from '../../src/repository/authority.ts';
import { readConfiguration } from '../../src/repository/configuration.ts';
import { groundOf } from '../../src/runs/dependencies/dependencies.ts';
import type { RepositoryRuns } from '../../src/runs/run/live-runs.ts';
import { filesAt } from '../../src/runs/setup/propose-setup.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

let work: WorkCopy;
let folder: string;
let mirror: Mirror;
let first: string;
let head: string;
let topic: string;

beforeEach(async () => {
  work = await workCopy();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-damaged-'));
  await symlink('docs/kind.md', join(work.dir, 'AGENTS.md'));
  first = await work.commit({
    'docs/kind.md': 'Be kind\n',
    '.github/CODEOWNERS': '* @ada\n',
    'coxswain.yml': 'version: 1\nagent: {use: command, command: [sh, x]}\n',
    CODEOWNERS: '* @mallory\n',
    'skills/a/SKILL.md': '---\nname: good\n---\nDo good\n',
    'a.txt': 'one\n',
  });
  await work.commit({ 'b.txt': 'b\n' });
  head = await work.commit({ 'a.txt': 'two\n' });
  await work.git('checkout', '--quiet', '-b', 'topic');
  topic = await work.commit({ 'a.txt': 'three\n' });
  mirror = await openMirror({ dir: join(folder, 'mirror.git'), remote: { url: `file://${work.gitDir}` } });
  await unpack();
});

afterEach(async () => {
  await Promise.all([work.remove(), rm(folder, { recursive: true, force: true })]);
});

/** A small fetch leaves each object in a file of its own; the pack of a clone is taken apart like that. */
async function unpack(): Promise<void> {
  const packs = join(mirror.dir, 'objects', 'pack');
  const [pack] = (await readdir(packs)).filter((name) => name.endsWith('.pack'));
  if (pack === undefined) return;
  const input = await readFile(join(packs, pack));
  await rm(packs, { recursive: true });
  await git(['unpack-objects', '-q'], { ...inside(mirror.dir), input });
}

type Damage = 'gone' | 'empty' | 'torn' | 'zeros';
const damages: readonly Damage[] = ['gone', 'empty', 'torn', 'zeros'];

async function damage(rev: string, how: Damage): Promise<void> {
  const sha = await work.git('rev-parse', rev);
  const path = join(mirror.dir, 'objects', sha.slice(0, 2), sha.slice(2));
  const whole = await readFile(path);
  await chmod(path, 0o644);
  if (how === 'gone') await rm(path);
  else if (how === 'empty') await writeFile(path, '');
  else await writeFile(path, how === 'torn' ? whole.subarray(0, 8) : Buffer.alloc(whole.length));
}

const placeOf = () => {
  const repository = { owner: 'o', name: 'r', default_branch: 'main', remote: mirror.remote };
  return { repository: { ...repository, mirror: async () => mirror } } as never as RepositoryRuns;
};

const configured = async () => {
  const reading = await readConfiguration(placeOf().repository, {
    operator: {} as never,
    configPath: 'coxswain.yml',
  });
  return reading.outcome === 'configured' ? Object.keys(reading.settings.agent) : reading;
};

const ownersOf = async () => {
  const repository = { mirror: async () => mirror, octokit: {} as never };
  const approval = { by: [{ codeowners: true }] } as never;
  const authority = await authorityOf(
    repository,
    { base: 'main', head: topic, approval },
    { presenter: 'app' },
  );
  return authority?.owned.map(({ owners }) => owners);
};

/** What reads, the object that it needs, and what it says of a mirror that is whole. */
const reads: Record<string, [rev: string, read: () => Promise<unknown>, whole: () => unknown]> = {
  'who owns a file, the file': ['main:.github/CODEOWNERS', ownersOf, () => [['@ada']]],
  'who owns a file, its folder': ['main:.github', ownersOf, () => [['@ada']]],
  'a file': ['main:a.txt', () => mirror.readFile('refs/heads/main', 'a.txt'), () => 'two\n'],
  'the configuration': ['main:coxswain.yml', configured, () => ['use', 'command', 'timeout_s']],
  'a file of a folder': [
    'main:.github',
    () => mirror.readFile('refs/heads/main', '.github/CODEOWNERS'),
    () => '* @ada\n',
  ],
  'the files at the top': ['main^{tree}', () => mirror.readFile('main', 'a.txt'), () => 'two\n'],
  'the tip of a branch': ['main', () => mirror.resolve('refs/heads/main'), () => head],
  'an older commit': ['main~2', () => mirror.resolve(first), () => first],
  skills: [
    'main:skills/a/SKILL.md',
    async () => {
      const reading = await readSkills(['skills/a'], { mirror, rev: 'refs/heads/main' });
      return reading.kind === 'skills' ? reading.skills.map(({ name }) => name) : reading;
    },
    () => ['good'],
  ],
  'what is an ancestor': [
    'main',
    () => mirror.reading(() => isAncestor(mirror.dir, first, topic)),
    () => true,
  ],
  'whether a dependency is in the base': [
    'main~2',
    async () => (await groundOf(placeOf(), 'main'))(first),
    () => 'ready',
  ],
  'what an agent is told behind a link': [
    'main:docs/kind.md',
    async () => {
      const dir = await mkdtemp(join(folder, 'attempt-'));
      await rm(dir, { recursive: true });
      await addWorktree(mirror, { dir, commit: topic }).catch(() => mirror.fetch());
      if (!existsSync(dir)) await addWorktree(mirror, { dir, commit: topic });
      const covers = instructionFiles({ hidden: [] });
      const { shown } = await mirror.reading(() => planOverlay(mirror, dir, { rev: 'main', covers }));
      return shown;
    },
    () => ['AGENTS.md'],
  ],
  'a parent of kept work': [
    'main',
    () => parentOfKept(mirror, { head, kept: null }),
    () => work.git('rev-parse', 'main^'),
  ],
  'a file for a first configuration': [
    'main:a.txt',
    () => filesAt(mirror, head).read('a.txt'),
    () => 'two\n',
  ],
};

const commands = (one: string, other: string): readonly (readonly string[])[] => [
  ['worktree', 'add', '--quiet', '--force', '--detach', join(folder, 'there'), other],
  ['ls-tree', '-r', '-l', '-z', '--full-tree', other],
  ['merge-base', '--all', one, other],
  ['merge-tree', '--write-tree', one, other],
  ['diff', '--raw', '-z', one, other],
  ['diff', '--patch', one, other],
  ['rev-list', '--count', one],
  ['log', '--format=%s', '--first-parent', other],
  ['show', '--no-patch', other],
];

describe.each(damages)('an object that is %s', (how) => {
  test.each(Object.keys(reads))(
    'is not taken for absent by what reads %s, and is put right',
    async (name) => {
      const [rev, read, whole] = reads[name] ?? [];
      if (rev === undefined) throw new Error(`could not find ${name}`);
      await damage(rev, how);
      expect(await read?.()).toEqual(await whole?.());
    },
  );

  test.each([
    ['objects', 'main:a.txt', (dir: string) => readObjects(dir, ['main:a.txt'])],
    ['sizes', 'main:a.txt', (dir: string) => sizesOf(dir, ['main:a.txt'])],
    ['trees', 'main^{tree}', (dir: string) => treesOf(dir, [head])],
    ['trees of a commit', 'main', (dir: string) => treesOf(dir, [head])],
  ] as const)(
    'throws where %s are read in the directory itself, and the next fetch mends it',
    async (...row) => {
      const [, rev, read] = row;
      await damage(rev, how);
      await expect(read(mirror.dir)).rejects.toThrow(/damaged or gone|is corrupt/);
      await mirror.fetch();
      expect((await read(mirror.dir))[0]).toBeDefined();
    },
  );

  test.each(['main^', 'main~2', 'main^{tree}', 'main:docs', 'main:docs/kind.md', 'main:a.txt'])(
    'is known by what Git says of it in whatever command (%s)',
    async (rev) => {
      await damage(rev, how);
      const said: string[] = [];
      for (const command of commands(topic, head))
        await git(command, inside(mirror.dir)).catch((fault: unknown) => {
          if (!isDamage(fault)) said.push(String(fault));
        });
      expect(said).toEqual([]);
    },
  );

  test('in a skill is not written as an empty file', async () => {
    await damage('main:skills/a/SKILL.md', how);
    const to = join(folder, 'skill');
    await expect(exportFolder(mirror.dir, { rev: 'main', path: 'skills/a', to })).rejects.toThrow();
    await mirror.fetch();
    await rm(to, { recursive: true, force: true });
    await exportFolder(mirror.dir, { rev: 'main', path: 'skills/a', to });
    expect(await readFile(join(to, 'SKILL.md'), 'utf8')).toContain('Do good');
  });
});

test('what does not exist is undefined, and no reason to make the mirror anew', async () => {
  await writeFile(join(mirror.dir, 'marker'), '');
  for (const path of ['nothing', 'a.txt/b', 'skills/', '/etc/passwd', 'skills//a', '.github/CODEOWNER?'])
    expect(await mirror.readFile('main', path)).toBeUndefined();
  expect(await mirror.resolve('1'.repeat(40))).toBeUndefined();
  expect(await mirror.resolve(`${first}^`)).toBeUndefined();
  expect(await mirror.readFile('1'.repeat(40), 'a.txt')).toBeUndefined();
  await mirror.fetch();
  expect(await readdir(mirror.dir)).toContain('marker');
});

test('a mirror goes only when there is another one in its place', async () => {
  await damage('main:a.txt', 'empty');
  const there = `${work.gitDir}-elsewhere`;
  await git(['clone', '--quiet', '--bare', work.gitDir, there]);
  await rm(work.gitDir, { recursive: true });
  await expect(mirror.readFile('main', 'a.txt')).rejects.toThrow(/could not mirror/);
  expect(await mirror.resolve('main')).toBe(head);
  await git(['clone', '--quiet', '--bare', there, work.gitDir]);
  expect(await mirror.readFile('main', 'a.txt')).toBe('two\n');
});

test('a mirror whose folder is gone is made anew by the next fetch', async () => {
  await rm(mirror.dir, { recursive: true });
  await mirror.fetch();
  expect(await mirror.readFile('main', 'a.txt')).toBe('two\n');
});

test('an agent goes on in its worktree when the mirror is made anew beneath it', async () => {
  const dir = join(folder, 'attempt');
  await addWorktree(mirror, { dir, commit: head });
  await damage('main:.github/CODEOWNERS', 'empty');
  expect(await mirror.readFile('main', '.github/CODEOWNERS')).toBe('* @ada\n');
  await writeFile(join(dir, 'a.txt'), 'three\n');
  const author = { name: 'Coxswain', email: 'coxswain@noreply.invalid' };
  const sha = await commitAll(mirror, { dir, message: 'Go on', author });
  expect(await mirror.readFile(String(sha), 'a.txt')).toBe('three\n');
});
