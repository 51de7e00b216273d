import { expect, test } from 'vitest';
import { GitHubFault, MissingPermission } from '../../src/github/octokit/fault.ts';
import { LimitedTries } from '../../src/runs/live/limited-tries.ts';

const broken = new GitHubFault({ doing: 'POST /reviews', status: 500, retriable: true, reason: 'Oops' });

/** How many times it was tried until it was done or given up. */
async function triesOf(work: () => Promise<void>, max = 50) {
  const warnings: string[] = [];
  const tries = new LimitedTries({ warn: (line: string) => void warnings.push(line) });
  for (let count = 1; count <= max; count++) {
    const isOver = await tries.run('x', 'request reviews', work).then(
      () => true,
      () => false,
    );
    if (isOver) return { count, warnings };
  }
  return { count: null, warnings };
}

test('what keeps failing is given up, and the operator is told', async () => {
  expect(await triesOf(() => Promise.reject(broken))).toEqual({
    count: 10,
    warnings: ['gave up to request reviews after 10 tries: POST /reviews failed: 500, Oops'],
  });
});

test('what succeeds in time is done, without a word', async () => {
  let left = 9;
  const work = async () => {
    if (left-- > 0) throw broken;
  };
  expect(await triesOf(work)).toEqual({ count: 10, warnings: [] });
});

test('a permission can be granted at any time', async () => {
  const missing = new MissingPermission({
    doing: 'POST /reviews',
    permission: 'pull_requests=write',
    reason: '',
  });
  expect((await triesOf(() => Promise.reject(missing))).count).toBeNull();
});
