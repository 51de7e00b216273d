import type { Fault } from '@coxswain/forge';
import { afterEach, expect, test } from 'vitest';
import { type AppFixture, startAppFixture } from './app-fixture.ts';
import { readFinalState } from './final-state.ts';
import { steerAndApprove } from './steer-and-approve.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

/** GitHub fails for a while, or its responses are lost, while the App is running. */
let fixture: AppFixture;

afterEach(() => fixture.end());

/** Matches only the App's own requests. */
const byApp = (path: string) => new RegExp(`^(?!.*by=people).*${path}`);

function injectFaults(...faults: readonly Fault[]): void {
  for (const fault of faults) fixture.forge.seed.fault(fault);
}

/** Runs the session, and checks that everything happened once. */
async function runsToApproval(): Promise<void> {
  const pull = await steerAndApprove(fixture);
  await fixture.app.stop();
  expect(await readFinalState(fixture.ada, pull)).toMatchObject({
    pull: { state: 'open', draft: false, labels: ['coxswain', 'coxswain:approved'] },
    pulls: 1,
    branches: 2,
    problems: [],
    state: { phase: 'approved', iteration: 1, owed: [] },
    said: 2,
    asks: 2,
    repeated: 0,
  });
}

test('the run recovers from temporary errors of GitHub', async () => {
  fixture = await startAppFixture({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  const status = 502;
  injectFaults(
    { path: byApp('/collaborators/'), times: 2, status },
    { path: byApp('/pulls$'), method: 'POST', times: 1, status },
    { path: byApp('/check-runs$'), method: 'POST', times: 2, status },
    { path: byApp('/issues/\\d+$'), method: 'PATCH', times: 2, status },
    { path: byApp('/comments$'), method: 'POST', times: 2, status },
    { path: byApp('/git-receive-pack$'), times: 3, status: 503 },
    { path: byApp('/git-upload-pack$'), times: 2, status: 500 },
  );
  await runsToApproval();
});

test('responses lost after GitHub has processed the request cause no duplicates', async () => {
  fixture = await startAppFixture();
  const lost = { times: 1, drop: 'after' } as const;
  injectFaults(
    { path: byApp('/git-receive-pack$'), ...lost, times: 3 },
    { path: byApp('/pulls$'), method: 'POST', ...lost },
    { path: byApp('/check-runs$'), method: 'POST', ...lost, times: 2 },
    { path: byApp('/issues/\\d+$'), method: 'PATCH', ...lost },
    { path: byApp('/comments$'), method: 'POST', ...lost, times: 2 },
    { path: byApp('/reactions$'), method: 'POST', ...lost },
    { path: byApp('^/graphql$'), method: 'POST', ...lost },
  );
  await runsToApproval();
});

test('commands given during an outage are recorded when it is over', async () => {
  const waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  fixture = waiting.fixture;
  const { ada, forge } = fixture;
  const pull = waiting.next();
  injectFaults({ path: byApp('.*'), times: 1000, status: 500 });
  await ada.says(pull, '/steer make it better');
  await expect.poll(() => fixture.app.output()).toMatch(/could not record issue_comment/);
  forge.seed.clearFaults();
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  const { events } = await pull.ledger();
  expect(events.filter(({ type }) => type === 'said')).toHaveLength(1);
});
