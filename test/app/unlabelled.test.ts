import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'vitest';
import { type AppFixture, startAppFixture, waitForFirstSweep } from './app-fixture.ts';
import type { Variables } from './app-process.ts';
import { at } from './person.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

/** Labels are for people: anyone with write access can remove them, and the sweep finds runs without them. */
let fixture: AppFixture;

afterEach(() => fixture.end());

/** Only the comment itself is left to find it by. */
function keepsNoDeliveries(): void {
  const path = /^(?!.*by=people).*\/app\/hook\/deliveries/;
  fixture.forge.seed.fault({ path, times: 1_000_000, status: 422 });
}

test('what was missed is found on a run whose labels someone has removed', async () => {
  const waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '1s' } });
  fixture = waiting.fixture;
  const { mia } = fixture;
  const pulls = Array.from({ length: 5 }, () => waiting.next());
  await fixture.app.stop();
  for (const { number } of pulls)
    await mia.octokit.rest.issues.removeAllLabels({ ...at, issue_number: number });
  const pull = pulls[0];
  if (pull === undefined) throw new Error('there is no run');
  await mia.says(pull, '/steer go on');
  keepsNoDeliveries();
  await fixture.start();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
});

test.each([
  ['an App that was killed before it swept again', {}],
  ['an App that has lost its data folder', { COXSWAIN_DATA: 'another' }],
])('and by %s', async (_, changed: Variables) => {
  fixture = await startAppFixture({ variables: { COXSWAIN_SWEEP_EVERY: '1h' } });
  const { ada, mia, app, variables } = fixture;
  await waitForFirstSweep(fixture);
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  app.kill();
  await mia.octokit.rest.issues.removeAllLabels({ ...at, issue_number: pull.number });
  await mia.says(pull, '/steer go on');
  keepsNoDeliveries();
  const { COXSWAIN_DATA: folder } = changed;
  await fixture.start(folder === undefined ? {} : { COXSWAIN_DATA: `${variables.COXSWAIN_DATA}-${folder}` });
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
});

test('and on a run that was reopened after its repository had none', async () => {
  fixture = await startAppFixture({ variables: { COXSWAIN_SWEEP_EVERY: '1s' } });
  const { ada, mia, app } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await mia.closes(pull);
  await pull.waitForPhase('cancelled');
  const isKnown = () =>
    readFileSync(join(fixture.variables.COXSWAIN_DATA ?? '', 'repositories'), 'utf8').includes('acme/');
  await pull.waitUntil('the repository to be swept no longer', async () => (isKnown() ? undefined : true));
  await mia.reopens(pull);
  await pull.waitForPhase('paused');
  await mia.octokit.rest.issues.removeAllLabels({ ...at, issue_number: pull.number });
  await pull.waitUntil('the repository to be swept again', async () => isKnown() || undefined);
  app.kill();
  await mia.says(pull, '/resume');
  keepsNoDeliveries();
  await fixture.start();
  await pull.waitForPhase('awaiting_approval');
});
