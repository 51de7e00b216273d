import type { Fault } from '@coxswain/forge';
import { afterEach, expect, test } from 'vitest';
import { endingOf } from './ending.ts';
import { play } from './killing.ts';
import { type Stage, setStage } from './stage.ts';
import { setStageWithRuns } from './waiting-runs.ts';

/** GitHub that fails for a while, or whose answers get lost, while the App goes on. */
let stage: Stage;

afterEach(() => stage.end());

/** Requests of people are left alone. */
const app = (path: string) => new RegExp(`^(?!.*by=people).*${path}`);

function goesWrong(...faults: readonly Fault[]): void {
  for (const fault of faults) stage.forge.seed.fault(fault);
}

/** Plays the session, and sees that everything happened once. */
async function playedWell(): Promise<void> {
  const pull = await play(stage);
  await stage.app.stop();
  expect(await endingOf(stage.ada, pull)).toMatchObject({
    pull: { state: 'open', draft: false, labels: ['coxswain', 'coxswain:approved'] },
    pulls: 1,
    branches: 2,
    flaws: [],
    state: { phase: 'approved', iteration: 1, owed: [] },
    said: 2,
    asks: 2,
    repeated: 0,
  });
}

test('errors of GitHub now and then hold nothing up for good', async () => {
  stage = await setStage({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  const status = 502;
  goesWrong(
    { path: app('/collaborators/'), times: 2, status },
    { path: app('/pulls$'), method: 'POST', times: 1, status },
    { path: app('/check-runs$'), method: 'POST', times: 2, status },
    { path: app('/issues/\\d+$'), method: 'PATCH', times: 2, status },
    { path: app('/comments$'), method: 'POST', times: 2, status },
    { path: app('/git-receive-pack$'), times: 3, status: 503 },
    { path: app('/git-upload-pack$'), times: 2, status: 500 },
  );
  await playedWell();
});

test('answers that get lost after GitHub acted make nothing happen twice', async () => {
  stage = await setStage();
  const lost = { times: 1, drop: 'after' } as const;
  goesWrong(
    { path: app('/git-receive-pack$'), ...lost, times: 3 },
    { path: app('/pulls$'), method: 'POST', ...lost },
    { path: app('/check-runs$'), method: 'POST', ...lost, times: 2 },
    { path: app('/issues/\\d+$'), method: 'PATCH', ...lost },
    { path: app('/comments$'), method: 'POST', ...lost, times: 2 },
    { path: app('/reactions$'), method: 'POST', ...lost },
    { path: app('^/graphql$'), method: 'POST', ...lost },
  );
  await playedWell();
});

test('commands given during an outage are recorded when it is over', async () => {
  const waiting = await setStageWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  stage = waiting.stage;
  const { ada, forge } = stage;
  const pull = waiting.next();
  goesWrong({ path: app('.*'), times: 1000, status: 500 });
  await ada.says(pull, '/steer make it better');
  await expect.poll(() => stage.app.output(), { timeout: 20_000 }).toMatch(/could not record issue_comment/);
  forge.seed.clearFaults();
  await pull.reaches('awaiting_approval', { iteration: 1 });
  const { events } = await pull.ledger();
  expect(events.filter(({ type }) => type === 'said')).toHaveLength(1);
});
