import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultBranchOf } from '../../src/git/remote.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

let copy: WorkCopy;
const remote = () => ({ url: pathToFileURL(copy.dir).href, token: async () => '' });

beforeEach(async () => {
  copy = await workCopy();
});

afterEach(() => copy.remove());

test('the default branch is the one that HEAD names, whatever other refs are called', async () => {
  await copy.git('checkout', '--quiet', '-b', 'team/trunk');
  const commit = await copy.commit({ 'a.txt': 'a\n' });
  await copy.git('update-ref', 'refs/heads/HEAD', commit);
  await copy.git('update-ref', 'refs/remotes/origin/HEAD', commit);
  expect(await defaultBranchOf(remote())).toMatchObject({ name: 'team/trunk' });
  await copy.git('update-ref', 'refs/heads/next', commit);
  await copy.git('symbolic-ref', 'HEAD', 'refs/heads/next');
  expect(await defaultBranchOf(remote())).toMatchObject({ name: 'next' });
});

test('a repository without a commit has none', async () => {
  expect(await defaultBranchOf(remote())).toBeUndefined();
});
