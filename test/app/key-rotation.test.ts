import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerKey } from '../ledger/identity.ts';
import { type AppFixture, expectNoProblems, startAppFixture, waitForFirstSweep } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import type { PullClient } from './pull-client.ts';

/** An operator replaces the key of the App's ledgers while a run waits for its approval. */
let fixture: AppFixture;
let pull: PullClient;

const newKey = `next:${Buffer.alloc(32, 8).toString('base64')}`;

beforeEach(async () => {
  fixture = await startAppFixture({ unchecked: true, variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  pull = await fixture.ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
});

afterEach(() => fixture?.end());

async function restartWith(COXSWAIN_LEDGER_KEY: string): Promise<void> {
  await fixture.app.stop();
  await fixture.start({ COXSWAIN_LEDGER_KEY });
}

async function health(): Promise<Record<string, unknown>> {
  const response = await fetch(`${fixture.app.url}/healthz`);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>; // ours, see `src/app/app.ts`
}

test('open runs are sealed with the new key by the sweep, and the old one can then be removed', async () => {
  await restartWith(`${newKey},${ledgerKey}`);
  const { events } = await pull.waitForEvents('sealed');
  expect(events.at(-1)).toMatchObject({ key: 'next' });
  await restartWith(newKey);
  await waitForFirstSweep(fixture);
  await fixture.mia.says(pull, `/approve ${await pull.head()}`);
  await pull.waitForPhase('approved');
  expectNoProblems(fixture);
});

test('a process without the key does nothing with the run until it gets the key', async () => {
  const before = await pull.ledger();
  await restartWith(newKey);
  await eventually('the key to be reported', async () =>
    (await health())['unknown_ledger_keys'] === undefined ? undefined : true,
  );
  expect(await health()).toMatchObject({ ok: true, unknown_ledger_keys: { test: 1 } });
  await fixture.ada.says(pull, '/resume');
  await fixture.mia.says(pull, `/approve ${await pull.head()}`);
  const { app } = fixture;
  await eventually('the deliveries to fail', () => app.warnings().length >= 2 || undefined);
  expect((await pull.ledger()).commits).toEqual(before.commits);
  expect(await pull.snapshot()).toMatchObject({ block: { phase: 'awaiting_approval' } });
  await restartWith(`${newKey},${ledgerKey}`);
  await pull.waitForPhase('approved');
  expectNoProblems(fixture);
});

test('a key that is retired too early waits like one that is unknown, and nothing is lost', async () => {
  await restartWith(`${newKey},-${ledgerKey}`);
  await eventually('the key to be reported', async () =>
    (await health())['unknown_ledger_keys'] === undefined ? undefined : true,
  );
  expect(await health()).toMatchObject({ ok: true, unknown_ledger_keys: { test: 1 } });
  expect(await pull.snapshot()).toMatchObject({ block: { phase: 'awaiting_approval' } });
  await restartWith(`${newKey},${ledgerKey}`);
  await pull.waitForEvents('sealed');
  await fixture.mia.says(pull, `/approve ${await pull.head()}`);
  await pull.waitForPhase('approved');
  expectNoProblems(fixture);
});

test('what a lost key sealed no longer counts: a maintainer has the run begin anew', async () => {
  await restartWith(`${newKey},!test`);
  await pull.waitForComment(/with the key `test`, which the operator has declared lost/);
  await fixture.mia.says(pull, '/resume');
  await pull.waitForPhase('awaiting_approval');
  const { state } = await pull.ledger();
  expect(state).toMatchObject({ people_unknown: true, restored: { by: 'mia', lost: 'unreadable' } });
});
