import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examineRepository } from '../../../src/cli/demo/own-repository.ts';
import { startDemo } from '../../../src/cli/demo/start-demo.ts';
import { UsageError } from '../../../src/cli/terminal/exit.ts';
import { git } from '../../../src/git/git.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-repository-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function repositoryCalled(name: string, { commits = 1, branch = 'trunk' } = {}): Promise<string> {
  const root = join(folder, name);
  await mkdir(join(root, 'src'), { recursive: true });
  await git(['init', '--quiet', `--initial-branch=${branch}`], { cwd: root });
  for (let number = 1; number <= commits; number += 1) {
    await writeFile(join(root, 'src/number.txt'), `${number}\n`);
    await git(['add', '.'], { cwd: root });
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    await git([...author, 'commit', '--quiet', '-m', `Commit ${number}`], { cwd: root });
  }
  return root;
}

test('a repository is found from any folder in it', async () => {
  const root = await repositoryCalled('prices');
  const found = { folder: root, name: 'prices', branch: 'trunk', dirty: false };
  expect(await examineRepository(join(root, 'src'))).toEqual(found);
  await writeFile(join(root, 'new.txt'), 'new\n');
  expect(await examineRepository(root)).toEqual({ ...found, dirty: true });
});

test.each([
  ['my project (old)', 'my-project-old-'],
  ['widgets', 'my-widgets'],
  ['...', 'my-repository'],
])('a folder called %s becomes the repository %s', async (name, expected) => {
  expect((await examineRepository(await repositoryCalled(name))).name).toBe(expected);
});

test('what is checked out without a branch becomes main', async () => {
  const root = await repositoryCalled('detached');
  await git(['checkout', '--quiet', '--detach'], { cwd: root });
  expect((await examineRepository(root)).branch).toBe('main');
});

test('nobody else on this machine can read it in the demo', async () => {
  const repository = await examineRepository(await repositoryCalled('confidential'));
  const demo = await startDemo({ logLevel: 'silent', port: 0, repository });
  try {
    const { apiUrl, url } = demo.forge;
    const statusOf = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `token ${token}` };
      return (await fetch(`${apiUrl}/repos/acme/confidential/contents/src/number.txt`, { headers })).status;
    };
    expect(await statusOf(demo.people.ada)).toBe(200);
    expect(await statusOf(demo.people.grace)).toBe(404);
    expect(await statusOf()).toBe(404);
    await expect(git(['ls-remote', `${url}/acme/confidential.git`])).rejects.toThrow();
  } finally {
    await demo.close();
  }
});

test.each(['', ' '])('an empty folder (%j) is not taken for the one this was started in', async (path) => {
  const fault: unknown = await examineRepository(path).catch((caught: unknown) => caught);
  expect(fault).toBeInstanceOf(UsageError);
  expect(String(fault)).toContain(
    '--repository is empty: expected a folder, as in --repository ../my-project',
  );
});

describe('what cannot be copied is said with the folder and an example', () => {
  test.each([
    ['a folder that does not exist', async () => join(folder, 'nowhere'), 'is not a folder'],
    ['a file', async () => join(await repositoryCalled('file'), 'src/number.txt'), 'is not a folder'],
    ['a folder outside of Git', async () => folder, 'is not in a Git repository with files'],
    ['no commit', () => repositoryCalled('empty', { commits: 0 }), 'has no commit yet'],
    ['a shallow clone', shallowClone, 'is a shallow clone'],
  ])('%s', async (_, make, problem) => {
    const path = await make();
    const fault: unknown = await examineRepository(path).catch((caught: unknown) => caught);
    expect(fault).toBeInstanceOf(UsageError);
    expect(String(fault)).toContain(`--repository ${path} ${problem}`);
    expect(String(fault)).toContain('as in --repository ../my-project');
  });
});

async function shallowClone(): Promise<string> {
  const root = await repositoryCalled('deep', { commits: 3 });
  await git(['clone', '--quiet', '--depth=1', `file://${root}`, join(folder, 'shallow')]);
  return join(folder, 'shallow');
}
