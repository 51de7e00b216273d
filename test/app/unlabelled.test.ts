import { afterEach, test } from 'vitest';
import type { AppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

/** Labels are for people: anyone with write access can remove them, and the sweep finds runs without them. */
let fixture: AppFixture;

afterEach(() => fixture.end());

test('what was missed is found on a run whose labels someone has removed', async () => {
  const waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '1s' } });
  fixture = waiting.fixture;
  const { mia, forge } = fixture;
  const pulls = Array.from({ length: 5 }, () => waiting.next());
  await fixture.app.stop();
  for (const { number } of pulls)
    await mia.octokit.rest.issues.removeAllLabels({ ...at, issue_number: number });
  const pull = pulls[0];
  if (pull === undefined) throw new Error('there is no run');
  await mia.says(pull, '/steer go on');
  // Only the comment itself is left to find it by.
  const path = /^(?!.*by=people).*\/app\/hook\/deliveries/;
  forge.seed.fault({ path, times: 1_000_000, status: 422 });
  await fixture.start();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
});
