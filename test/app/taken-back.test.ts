import { afterAll, beforeAll, expect, test } from 'vitest';
import { workCopy } from '../git/work-copy.ts';
import { type AppFixture, name, waitForDeliveries } from './app-fixture.ts';
import { freezeLedger } from './frozen-ledger.ts';
import { waitForGreen } from './green.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Mia takes back what she has approved, and Bob, who has the role write, wants it to stay green. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;
/** Another run, which Bob uses against those that Mia has approved. */
let other: PullClient;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '5s' } });
  fixture = waiting.fixture;
  requireChecks(fixture);
  other = waiting.next();
});

afterAll(() => fixture?.end());

test('a ref in the place of its closed ledger does not keep a run from being rejected', async () => {
  const { mia } = fixture;
  const { pull } = await approved();
  await pushesRef(`refs/coxswain/closed/${pull.number}/x`, 'main');
  await mia.says(pull, '/reject it is bad after all');
  await expectTakenBack(pull);
  await pull.waitForPhase('rejected');
});

test('a ledger sealed with an unknown key does not keep the check green when something else is said', async () => {
  const { mia } = fixture;
  const { pull } = await approved();
  await freezeLedger(fixture, pull);
  await mia.says(pull, '/reject it is bad after all');
  await expectTakenBack(pull);
});

test('a base that could not be fetched for a while does not keep an approval that was deleted', async () => {
  const { bob, mia } = fixture;
  const { pull, comment } = await approved();
  await bob.pushes('main', { 'src/x.txt': 'x\n' }, { to: 'shade' });
  await bob.retargets(other, 'shade');
  await other.waitForEvents('retargeted');
  await bob.retargets(other, 'main');
  await bob.octokit.rest.git.deleteRef({ ...at, ref: 'heads/shade' });
  await bob.pushes('main', { 'src/x.txt': 'x\n' }, { to: 'shade/b' });
  await bob.retargets(pull, 'shade/b');
  await mia.deletes(comment);
  await waitForDeliveries(fixture);
  await bob.retargets(pull, 'main');
  await expectTakenBack(pull);
});

test('pushes to another run do not keep an approval that was deleted', async () => {
  const { bob, mia } = fixture;
  const { pull, comment } = await approved();
  const branch = await other.branch();
  const one = await other.head();
  const two = await bob.pushes(branch, { 'y.txt': 'y\n' });
  // More than GitHub allows to be recorded at once.
  for (let moves = 0; moves < 200; moves += 1) {
    const sha = moves % 2 === 0 ? one : two;
    await bob.octokit.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha, force: true });
  }
  await mia.deletes(comment);
  await expectTakenBack(pull);
});

async function approved(): Promise<{ readonly pull: PullClient; readonly comment: number }> {
  const pull = waiting.next();
  const comment = await fixture.mia.says(pull, '/approve');
  await pull.waitForDraft(false);
  await waitForGreen(pull);
  return { pull, comment };
}

/** The check turns, and Bob cannot merge. */
async function expectTakenBack(pull: PullClient): Promise<void> {
  const { bob } = fixture;
  await waitForGreen(pull, false);
  await bob.marksReady(pull).catch(() => undefined); // it may be closed by now
  await expect(bob.merges(pull)).rejects.toThrow(/required status check|still a draft|not mergeable/i);
}

async function pushesRef(ref: string, from: string): Promise<void> {
  const copy = await workCopy();
  try {
    const url = `${fixture.forge.url.replace('://', `://x-access-token:${fixture.bob.token}@`)}/${name}.git`;
    await copy.git('fetch', '--quiet', url, from);
    await copy.git('push', '--quiet', url, `FETCH_HEAD:${ref}`);
  } finally {
    await copy.remove();
  }
}
