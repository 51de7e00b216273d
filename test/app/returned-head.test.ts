import { afterAll, beforeAll, expect, test } from 'vitest';
import { workCopy } from '../git/work-copy.ts';
import { type AppFixture, name, waitForDeliveries } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Bob shows Mia another head while nothing can be recorded, and takes it back before she approves. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '5s' } });
  fixture = waiting.fixture;
  requireChecks(fixture);
});

afterAll(() => fixture?.end());

test.each<[string, (pull: PullClient, former: string) => Promise<void>]>([
  [
    'is moved back',
    async (pull, former) => {
      await moveTo(await pull.branch(), former);
    },
  ],
  [
    'is deleted and restored',
    async (pull, former) => {
      const branch = await pull.branch();
      await fixture.bob.deletesBranch(branch);
      await waitForDeliveries(fixture);
      await fixture.bob.octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha: former });
      await fixture.bob.reopens(pull);
    },
  ],
])('an approval does not count for what was not on show when the branch %s', async (_, takeBack) => {
  const { bob, mia } = fixture;
  const pull = waiting.next();
  const former = await pull.head();
  const putBack = await removeLedger(pull);
  const fair = await bob.pushes('main', { 'src/fair.txt': 'fair\n' }, { to: `fair-${pull.number}` });
  await moveTo(await pull.branch(), fair);
  await waitForDeliveries(fixture);
  await takeBack(pull, former);
  await waitForDeliveries(fixture);
  await putBack();
  // What happens within the same second as the move is about no commit for certain.
  const now = Date.now();
  await eventually('another second', () => Date.now() > now + 1000 || undefined);
  await mia.says(pull, '/approve');
  await pull.waitForEvents('finish_checked');
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.ledger()).state).toMatchObject({ approvals: [], head: former });
  await bob.marksReady(pull);
  await expect(bob.merges(pull)).rejects.toThrow(/required status check/i);
});

async function moveTo(branch: string, sha: string): Promise<void> {
  await fixture.bob.octokit.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha, force: true });
}

/** Moves the ledger to a ref of Bob's; returns how to put it back. */
async function removeLedger(pull: PullClient): Promise<() => Promise<void>> {
  const { ref } = await pull.ledger();
  const kept = `refs/original/${pull.number}`;
  const move = async (from: string, ...to: readonly string[]) => {
    const copy = await workCopy();
    try {
      const url = `${fixture.forge.url.replace('://', `://x-access-token:${fixture.bob.token}@`)}/${name}.git`;
      await copy.git('fetch', '--quiet', url, from);
      await copy.git('push', '--quiet', '--force', url, ...to);
    } finally {
      await copy.remove();
    }
  };
  await move(ref, `FETCH_HEAD:${kept}`, `:${ref}`);
  return () => move(kept, `FETCH_HEAD:${ref}`);
}
