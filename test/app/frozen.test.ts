import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { type AppFixture, name, waitForDeliveries, waitForFirstSweep } from './app-fixture.ts';
import { freePort } from './app-process.ts';
import { eventually } from './eventually.ts';
import { freezeLedger } from './frozen-ledger.ts';
import { expectNoMergeUntil, waitForGreen } from './green.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Bob makes a ledger unreadable for a while, so that the App cannot record what happens meanwhile. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '5s' } });
  fixture = waiting.fixture;
  requireChecks(fixture);
});

afterAll(() => fixture?.end());

test('a rejection from that time counts before anything is green again', async () => {
  const { bob, mia } = fixture;
  const pull = waiting.next();
  await mia.says(pull, '/approve');
  await waitForGreen(pull);
  await pull.waitForDraft(false);
  const thaw = await freezeLedger(fixture, pull);
  await mia.says(pull, '/reject it is bad after all');
  await waitForGreen(pull, false);
  await thaw();
  // The App puts its label right, and with it draws the run again.
  const label = { ...at, issue_number: pull.number, name: 'coxswain:approved' };
  await bob.octokit.rest.issues.removeLabel(label).catch(() => undefined); // the App has removed it itself
  await expectNoMergeUntil(
    fixture,
    pull,
    async () => (await pull.ledger()).state.standing.phase === 'rejected',
  );
});

test('a review of the difference from another base, which was there only then, does not count', async () => {
  const { bob, mia } = fixture;
  const pull = waiting.next();
  const evil = await bob.pushes(await pull.branch(), { 'src/evil.txt': 'evil\n' });
  await bob.pushes(await pull.branch(), { 'src/nice.txt': 'nice\n' });
  await bob.octokit.rest.git.createRef({ ...at, ref: 'refs/heads/shadow', sha: evil });
  await waitForDecision(pull);
  const thaw = await freezeLedger(fixture, pull);
  await bob.retargets(pull, 'shadow');
  await mia.reviews(pull, { event: 'APPROVE', body: '' });
  await waitForDeliveries(fixture);
  await bob.retargets(pull, 'main');
  await thaw();
  await expectNoMergeUntil(fixture, pull, async () => {
    const said = await pull.appComments();
    return said.some((text) => /the base was changed at .*, perhaps temporarily/.test(text));
  });
  await waitForDecision(pull);
});

test('who has lost the role has approved nothing, also then', async () => {
  const { bob, mia, forge } = fixture;
  const pull = waiting.next();
  await mia.says(pull, '/approve');
  await waitForGreen(pull);
  await pull.waitForDraft(false);
  const thaw = await freezeLedger(fixture, pull);
  forge.seed.setCollaborator(name, 'mia', 'read');
  await waitForGreen(pull, false);
  await expect(bob.merges(pull)).rejects.toThrow(/required status check/i);
  forge.seed.setCollaborator(name, 'mia', 'maintain');
  await thaw();
});

test('a process that has not heard of the approval takes it back, too', async () => {
  const { mia, forge, accounts } = fixture;
  const pull = waiting.next();
  const data = join(fixture.variables['home'] ?? '', 'second');
  await fixture.start({ PORT: String(await freePort()), COXSWAIN_DATA: data, COXSWAIN_SWEEP_EVERY: '1h' });
  await waitForFirstSweep(fixture);
  await mia.says(pull, '/approve');
  await waitForGreen(pull);
  await pull.waitForDraft(false);
  await waitForDeliveries(fixture);
  const [first] = fixture.processes;
  first?.kill();
  await freezeLedger(fixture, pull);
  forge.seed.setWebhook(accounts.registered, { url: `${fixture.app.url}${webhookPath}` });
  await mia.says(pull, '/reject it is bad');
  await waitForGreen(pull, false);
  await expect(fixture.bob.merges(pull)).rejects.toThrow(/required status check/i);
});

function waitForDecision(pull: PullClient): Promise<unknown> {
  return eventually(`#${pull.number} to wait for approval of its head`, async () => {
    const { state } = await pull.ledger();
    const isShown = state.shown?.head_sha === (await pull.head());
    return (isShown && state.standing.phase === 'awaiting_approval') || undefined;
  });
}
