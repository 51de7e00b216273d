import { afterEach, expect, test } from 'vitest';
import { type AppFixture, prepareAppFixture, waitForDeliveries } from './app-fixture.ts';
import { Apps } from './apps.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';

/** Two processes of one App behind a load balancer. */
let fixture: AppFixture;
let apps: Apps;

afterEach(async () => {
  await apps.end();
  await fixture.end();
});

test('two Apps answer each command once', async () => {
  fixture = await prepareAppFixture({ unchecked: true, variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  apps = await Apps.prepare(fixture, 2);
  await apps.start();
  const { ada, bob, mia } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  // Now both have seen an event of the other.
  for (let round = 1; round <= 4; round++) {
    await Promise.all([ada, bob, mia].map((person) => person.says(pull, '/status')));
    await pull.waitForEvents('said', 3 * round);
  }
  await waitForDeliveries(fixture);
  await apps.sweptSince(() => new Date());
  await apps.stop();
  const place = { ...at, issue_number: pull.number, per_page: 100 };
  const { data } = await ada.octokit.rest.issues.listComments(place);
  const replies = data.flatMap(({ body = '' }) => body.match(/<!-- coxswain:reply \S+ -->/g) ?? []);
  expect(new Set(replies).size).toBe(12);
  expect(replies).toHaveLength(12);
  expect(problemsIn(await pull.ledger())).toEqual([]);
});
