import { afterEach, beforeEach, expect, test } from 'vitest';
import { conflictWith } from '../../src/agent/attempt/commits.ts';
import { beginMerge } from '../../src/git/begun-merge.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';
import { stateOf } from './states.ts';

let work: WorkCopy;

beforeEach(async () => {
  work = await workCopy();
});

afterEach(() => work.remove());

test('a conflict in a submodule, which agents cannot commit, is for people', async () => {
  await commitOf('1');
  const head = await commitOf('2');
  await work.git('checkout', '--quiet', '--detach', 'HEAD^');
  const tip = await commitOf('3');
  const begun = await beginMerge(work.gitDir, { head, tip, at: '@0 +0000' });
  const { tip: for_agent, message } = await conflictWith(stateOf({}), { dir: work.gitDir }, begun);
  expect(for_agent).toBeUndefined();
  expect(message).toContain('No agent can resolve this: it cannot change vendor');
});

async function commitOf(digit: string): Promise<string> {
  await work.git('update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},vendor`);
  await work.git('commit', '--quiet', '-m', 'Move the submodule');
  return work.git('rev-parse', 'HEAD');
}
