import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, startAppFixture, waitForDeliveries } from './app-fixture.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

/** What Mia says in plain words reaches the App by webhooks, whatever Bob, who has the role write, does. */
let fixture: AppFixture;

const approval =
  'approval: { mode: auto, new_history: 3, auto_proceed_after: 1h, on_timeout: proceed, finish: merge }\n';

beforeAll(async () => {
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': `${config}sandbox: off\n${approval}` },
    variables: { COXSWAIN_SWEEP_EVERY: '1h', COXSWAIN_SANDBOX: 'off' },
  });
});

afterAll(() => fixture.end());

async function timedRun(): Promise<PullClient> {
  const pull = await fixture.ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.ledger()).state.standing).toHaveProperty('proceeds');
  return pull;
}

test('an objection stops a run without its label, and deleting it does not start it again', async () => {
  const { bob, mia } = fixture;
  const pull = await timedRun();
  await bob.octokit.rest.issues.removeAllLabels({ ...at, issue_number: pull.number });
  const said = await mia.says(pull, 'I think this is wrong.');
  const { state } = await pull.waitForEvents('spoke');
  expect(state.left_to_people?.because).toMatchObject({ why: 'stopped', by: 'mia' });
  await bob.deletes(said);
  await waitForDeliveries(fixture);
  expect((await pull.ledger()).state.standing).not.toHaveProperty('proceeds');
  expect(JSON.stringify((await pull.ledger()).events)).not.toContain('I think');
});

test('a review without a command is an objection, too', async () => {
  const pull = await timedRun();
  await fixture.mia.reviews(pull, { event: 'COMMENT', body: 'Hm.' });
  await pull.waitForEvents('spoke');
});

test('words that were deleted while the App was down are found in the log of deliveries', async () => {
  const { app, bob, mia } = fixture;
  const pull = await timedRun();
  await app.stop();
  await bob.deletes(await mia.says(pull, 'I think this is wrong.'));
  await fixture.start();
  const { state } = await pull.waitForEvents('spoke');
  expect(state.standing).not.toHaveProperty('proceeds');
});

test('a deletion takes back an approval, and the App is told at once', async () => {
  const { bob, mia } = fixture;
  const pull = await timedRun();
  const said = await mia.says(pull, 'Please wait for the release.');
  await pull.waitForEvents('spoke');
  await fixture.forge.seed.fault({ method: 'PUT', path: /\/merge/, times: 1_000, status: 405 });
  await bob.says(pull, '/approve');
  await pull.waitForDraft(false);
  await bob.deletes(said);
  await pull.waitForDraft(true);
  expect((await pull.ledger()).state.approvals).toEqual([]);
});
